"""Standardization by random parts of the standardizing systems, many parts at once."""

import numpy as np
import numpy.typing as npt

from irmeta.parallel import on_threads
from irmeta.stats import standardizers
from irmeta.stats.standardizers import Kind

Floats = npt.NDArray[np.float64]
_CHUNK = 1 << 16  # scores standardized at once: 512 KiB stay in a core's cache, and their memory is used again


def partial_means(old: Floats, new: Floats, size: int, draws: int, kind: Kind, rng: np.random.Generator) -> Floats:
    """Standardize new systems by `size` of the old ones, drawn without replacement, `draws` times.

    old : (old system, topic);  new : (system, topic).  Returns mean standardized scores (draw, system). A topic on
    which the drawn systems score alike gives every new system the same score, so that the others decide their order.
    Threads share the draws; they change no bit of the result. Source: Webber et al. (SIGIR 2008), section 4, Figure 4.

    >>> scores = np.array([[0.1], [0.5], [0.3]])
    >>> partial_means(scores, scores, 3, 1, "normal", np.random.default_rng(0)).round(3).tolist()
    [[0.159, 0.841, 0.5]]
    """
    new = np.asfortranarray(new)  # one topic after the other: neighbours take the same branch of the normal CDF
    drawn = rng.random((draws, old.shape[0])).argsort(axis=1)[:, :size]

    def means(part: npt.NDArray[np.int64]) -> Floats:
        factors = standardizers.fit(old[part].swapaxes(0, 1))  # (size, draw, topic) gives factors of (draw, topic)
        return np.asarray(standardizers.standardize(new[:, None, :], factors, kind).mean(axis=-1).T)

    return np.concatenate(list(on_threads(means, np.array_split(drawn, np.ceil(draws * new.size / _CHUNK)))))
