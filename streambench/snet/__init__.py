"""S-NET, the coordination language of paper 004: programs, types, records, a naive interpreter; uses no other room."""
