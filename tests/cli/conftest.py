"""Commands say options as they are typed, also where a test runs their words itself."""

from collections.abc import Iterator

import pytest

from irmeta.errors import typed


@pytest.fixture(autouse=True)
def _typed() -> Iterator[None]:
    with typed():
        yield
