"""The machine under the runtime: clock, threads, parking, memory; uses no other room."""
