# What the package is made of; not for users.
from typing import Any, final

@final
class Base:
    def __len__(self) -> int: ...

def __getattr__(name: str) -> Any: ...
