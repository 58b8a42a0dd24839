"""Paper 002: the items of a stream that occur most often, in bounded memory; uses engine, state, queues, machine."""
