# What the package is made of; not for users.
from typing import Any

def __getattr__(name: str) -> Any: ...
