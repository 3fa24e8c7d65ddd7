//! Files that get their names when they are complete.

use std::{io, path::Path};

use tempfile::{Builder, NamedTempFile};

/// Creates a file beside its target that vanishes if it never gets the target's name.
pub(crate) fn temporary_beside(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = Builder::new();
    builder.prefix(".tabiya-").suffix(".tmp");
    #[cfg(unix)]
    {
        // As any new file: the user's mask decides who may read it.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
