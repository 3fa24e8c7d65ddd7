//! Files that are missing, cut or zeroed.
