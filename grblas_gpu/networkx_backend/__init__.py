"""The backend "grblas_gpu" of NetworkX: its functions on our engines, with its node labels, results and errors.

NetworkX finds it by its entry points; nothing has to be imported.

>>> import networkx as nx
>>> nx.betweenness_centrality(nx.path_graph("abc"), backend="grblas_gpu")
{'a': 0.0, 'b': 1.0, 'c': 0.0}

``_nx_grblas_gpu`` lists the functions and NetworkX calls ``interface``. ``graph`` and ``conversion`` hold a graph.
``dispatch`` decides whether a call can and should run here. The other modules have the functions, by area.
"""
