//! Why a search is fast or slow: what each clause leaves over.
