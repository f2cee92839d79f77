"""Options of products in loops: those that a fused loop supports, and those that it refuses."""

from grblas_gpu.ir.descriptor import PULL_STRATEGIES

#: Options, with the strategies of the steps of a fused search, and their reasons.
FUSED = [
    ({}, {"push.scatter", "pull.hybrid"}, "push .* against pull .* edges, .* open rows"),
    ({"direction": "auto"}, {"push.scatter", "pull.hybrid"}, "push .* against pull .* edges, .* open rows"),
    ({"direction": "push"}, {"push.scatter"}, "requested by direction="),
    ({"direction": "pull"}, {"pull.hybrid"}, "requested by direction="),
    ({"strategy": "push.scatter"}, {"push.scatter"}, "requested by strategy="),
    ({"strategy": "pull.hybrid"}, {"pull.hybrid"}, "requested by strategy="),
    ({"policy": "edges"}, {"push.scatter", "pull.hybrid"}, "edges against open / alpha|vertices against n / beta"),
    ({"policy": "edge-check"}, {"push.scatter", "push.scan", "pull.hybrid"}, "edge-check ratio"),
    ({"policy": "fraction"}, {"push.scatter", "pull.hybrid"}, r"of the vertices against 0\.1"),
    ({"direction": "pull", "early_exit": False}, {"pull.hybrid"}, "requested by direction="),
    ({"direction": "pull", "pull_strategy": "pull.hybrid"}, {"pull.hybrid"}, "requested by direction="),
    ({"direction": "push", "pull_strategy": "pull.warp"}, {"push.scatter"}, "requested by direction="),
    ({"direction": "push", "edges_before": 7}, {"push.scatter"}, "requested by direction="),
    ({"direction": "pull", "reuse_mask": True}, {"pull.hybrid"}, "requested by direction="),
    ({"reuse_mask": "auto"}, {"push.scatter", "pull.hybrid"}, "push .* against pull"),
    ({"reuse_mask": True}, {"push.scatter", "pull.hybrid"}, "push .* against pull"),
    ({"direction": "push", "deterministic": True}, {"push.scatter"}, "requested by direction="),  # any order is right
]

#: Options that loops on a device support, and loops on the CPU refuse: they name strategies of a device.
ON_A_DEVICE = [
    *(({"strategy": name}, {name}, "requested by strategy=") for name in PULL_STRATEGIES if name != "pull.hybrid"),
    ({"strategy": "push.scan"}, {"push.scan"}, "requested by strategy="),
    ({"strategy": "push.sort"}, {"push.sort"}, "requested by strategy="),
    ({"direction": "push", "push_strategy": "push.sort"}, {"push.sort"}, "requested by direction="),
    ({"policy": "switchpoint"}, {"push.sort", "pull.hybrid"}, r"fill .* against switchpoint 0\.01"),
    ({"policy": "switchpoint", "push_strategy": "push.scatter"}, {"push.scatter", "pull.hybrid"}, "fill .* against"),
    ({"policy": "switchpoint", "switchpoint": 0.0}, {"pull.hybrid"}, "fill .* against switchpoint 0;"),
    ({"policy": "switchpoint", "switchpoint": 1.0}, {"push.sort"}, "fill .* against switchpoint"),
    *(({"direction": "push", "push_strategy": name}, {name}, "requested by direction=") for name in PULL_STRATEGIES),
    *(
        ({"direction": "pull", "pull_strategy": name}, {name}, "requested by direction=")
        for name in PULL_STRATEGIES
        if name != "pull.hybrid"
    ),
    (
        {"policy": "fraction", "push_strategy": "pull.edge", "pull_strategy": "pull.warp", "reuse_mask": True},
        {"pull.edge", "pull.warp"},
        r"of the vertices against 0\.1",
    ),
]

#: Refused options, and the strategies of the steps of the search in this case.
REFUSED = [
    ({"policy": "edges", "edges_before": 7}, "edges_before=7", {"push.scatter", "pull.hybrid"}),
    ({"policy": "edge-check", "edges_before": 7}, "edges_before=7", {"push.scatter", "push.scan", "pull.hybrid"}),
]


def words(options) -> str:
    return " ".join(f"{name}={value}" for name, value in options.items()) or "nothing"
