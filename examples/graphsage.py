"""GraphSAGE with PyTorch: sampled batches, and products whose gradients are products, too.

The graph is a stochastic block model, and the blocks are the classes. Features are the class in so much noise that
they give half of the classes, alone; with those of sampled neighbours a network of two layers finds nearly all.

python examples/graphsage.py --vertices 2000 --epochs 5
"""

import argparse

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from grblas_gpu import Matrix, generators
from grblas_gpu.sampling import NeighborLoader
from grblas_gpu.torch import spmm


class Sage(torch.nn.Module):
    """Every layer adds a map of a vertex's own values and a map of the mean over its neighbours."""

    def __init__(self, *widths: int) -> None:
        super().__init__()
        pairs = list(zip(widths[:-1], widths[1:], strict=True))
        self.own = torch.nn.ModuleList(torch.nn.Linear(*pair) for pair in pairs)
        self.others = torch.nn.ModuleList(torch.nn.Linear(*pair, bias=False) for pair in pairs)

    def forward(self, A: Matrix, x: torch.Tensor) -> torch.Tensor:
        for own, others in zip(self.own, self.others, strict=True):
            if own is not self.own[0]:
                x = torch.relu(x)
            # x = x W + mean of neighbours(x) V
            x = own(x) + others(spmm(A, x, reduce="mean"))
        return x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vertices", type=int, default=1000, help="of the graph")
    parser.add_argument("--classes", type=int, default=5, help="blocks of the graph")
    parser.add_argument("--noise", type=float, default=1.2, help="standard deviation of the noise of features")
    parser.add_argument("--epochs", type=int, default=5, help="rounds over the vertices with known classes")
    options = parser.parse_args()
    n, classes = options.vertices // options.classes * options.classes, options.classes
    # a vertex has about 12 neighbours in its class, and 6 in others
    inside, outside = 12 / (n / classes), 6 / (n - n / classes)
    chances = np.where(np.eye(classes, dtype=bool), inside, outside)
    A = generators.stochastic_block_model([n // classes] * classes, chances, seed=3)
    rng = np.random.default_rng(4)
    y = np.repeat(np.arange(classes), n // classes)
    x = (np.eye(classes)[y] + options.noise * rng.standard_normal((n, classes))).astype(np.float32)
    train = rng.random(n) < 0.3

    none = Matrix(bool, n, n)
    print(f"{n} vertices, {A.nvals // 2} edges, {train.sum()} classes known")
    features = trained(none, x, y, train, options.epochs)
    both = trained(A, x, y, train, options.epochs)
    print(f"right classes of the other vertices: {features:.0%} by features, {both:.0%} with neighbours")
    if not both > max(0.75, features + 0.1):
        raise SystemExit("neighbours do not help")


def trained(A: Matrix, x: np.ndarray, y: np.ndarray, train: np.ndarray, epochs: int) -> float:
    """The share of right classes, among those that were unknown to the training."""
    torch.manual_seed(5)
    model = Sage(x.shape[1], 32, int(y.max()) + 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    loader = NeighborLoader(A, [10, 5], train, batch_size=32, shuffle=True, convert=torch.as_tensor, x=x, y=y)
    for _ in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            seeds = slice(batch.batch_size)
            cross_entropy(model(batch.matrix, batch.x)[seeds], batch.y[seeds]).backward()
            optimizer.step()
    with torch.no_grad():
        found = model(A, torch.as_tensor(x)).argmax(1).numpy()
    return float((found == y)[~train].mean())


if __name__ == "__main__":
    main()
