"""The controller's constants: each with its unit and its reason.

A test or a simulator may set others: ``Controller(…, constants={"most_allowance": 8})``. Most of them are orders of
magnitude, found by trying on 2 cores near each other; docs/decisions.md has the reasons of those that decide most.
*By trying* means: why it is this number and not one near it is not known, and what else was tried was not written
down. *Paced* means: of a stream whose tuples come at a rate. *Whole* is the plan of one worker, without segments.
"""

cdef ControllerConstants STANDARD

# Sizing: how many tuples a unit has, and how many units are under way.
STANDARD.first_unit = 16                # tuples: nothing is known yet, and a tuple may cost a tenth of a millisecond
STANDARD.largest_unit = 4096            # tuples: beyond, what is paid once for a unit no longer counts
STANDARD.most_work = 220_000.0          # ns of one worker's time that a unit may take; two
                                        # workers were slower with half
STANDARD.unit_bytes = 400_000.0         # of all columns that a unit's tuples go through: they stay in the L2 cache
STANDARD.paced_work = 20_000.0          # ns of work in a unit, times the allowance: a core that stops holds up little
STANDARD.paced_unit = 3072              # tuples at most, times the allowance; 2048 were too
                                        # few where a tuple costs 1 ns
STANDARD.paced_least = 128              # tuples, times the allowance, whose work may be more than paced_work: a unit of
                                        # few tuples costs too much
STANDARD.units_ahead = 2                # units of a worker, at a rate: one in work, and one behind it
STANDARD.most_allowance = 4             # times: 2 and 4 could not be told apart in 15 runs
STANDARD.backlog = 0.5e6                # ns since the next tuple to be admitted arrived: from here on the allowance
                                        # doubles; half of the millisecond that is wanted from arrival. With 2
                                        # ms a backlog swung beyond that
STANDARD.caught_up = 0.2e6              # ns since then: below, the allowance is 1 again; well below
                                        # `backlog`, or it would go to and fro

# Looks: when the meters are read, and what they say of the operators.
STANDARD.first_look = 300_000.0         # ns from the beginning of a run to the first look: by trying
STANDARD.early_look = 180_000.0         # ns to the next look after one that came too early to say anything: sooner than
                                        # `trial_look`; by trying
STANDARD.trial_look = 600_000.0         # ns from look to look while plans are tried, or longer: see `slices`. By
                                        # trying: seldom enough for a look's cost, often enough for a trial to end
                                        # when it has lost what it may
STANDARD.calm_look = 5_000_000.0        # ns from look to look afterwards: a look costs a
                                        # cache line a worker and operator
STANDARD.paced_look = 0.5               # of these times, at a rate before the first choice:
                                        # more arrives than is processed
STANDARD.long_look = 50e6               # ns after which a look is not too early, however few units it covers: else a
                                        # stream that nearly stops would never be looked at; by trying
STANDARD.filled = 8                     # units that a look must cover, where several workers have some in flight
STANDARD.filled_whole = 2               # and in the plan whole, where one worker has one
STANDARD.smoothed = 0.25                # part of the latest look in what is known of an operator's rows per stream
                                        # tuple: operators emit in bursts
STANDARD.stale = 5e9                    # ns without the plan whole until costs are those of another plan: longer than
                                        # from one trial of the plan whole to the next

# Is the stream saturated, that is: does more arrive than is processed?
STANDARD.full = 0.5                     # part of the tuples admitted in full units, or in such as only the end of
                                        # a batch or a lap cut short, from which on it is: where the source once
                                        # had nothing these do not count
STANDARD.paced_full = 0.95              # the same where tuples come at a rate, one by one: there it can be told better

# Trials: what they may lose, and when one plan is better than another.
STANDARD.exploring = 0.01               # part of a run's time that trials of other plans may lose: a wish, not a
                                        # measurement
STANDARD.thrift = 0.5e9                 # ns for which what trials did not lose is kept for them: over as long as plans
                                        # are judged, trials lose 2 % then
STANDARD.hopeless = 0.97                # a plan is not tried if the model gives it more than this part of the time of
                                        # whole: as `advantage`
STANDARD.advantage = 0.97               # a plan takes less than this part of the best one's time to be the best:
                                        # by less, chance would choose
STANDARD.plain = 0.5                    # the same, where one trial tells: a machine that stumbles for a trial's length
                                        # looks so, too, but seldom; by trying
STANDARD.unusual = 1.25                 # times what the best plan usually takes, or one part of so many: something has
                                        # changed; by trying
STANDARD.counted = 3                    # looks, or stretches of a trial's length, in a row
                                        # that are no chance: by trying
STANDARD.renewed = 100e6                # ns after which the cost model is asked anew which plans are worth a trial:
                                        # seldom, as the search is done under admission's lock; by trying
STANDARD.averaged = 4                   # latest trials of an arm, or stretches of the best one, that count: by trying
STANDARD.least_lost = 0.02              # part of a trial's length that counts as lost at least: the account would else
                                        # pay for trials without end of an arm that is as good as the best
STANDARD.manifold = 16.0                # rows made of one, from which on what is dealt is tried first: Q1 makes
                                        # 4 pairs of a line of small tickets, and is best cut; 53 of one of
                                        # large tickets, and is best dealt

# Waiting for a core.
STANDARD.waited = 0.1                   # part of a look's time that workers wait: from here on somebody else is on
                                        # their core. By trying: any machine has shorter waits
STANDARD.stays = 3                      # spells of waiting, less those without, after which somebody is there to
                                        # stay: with 1 the plan went to and fro forty times a second beside
                                        # processes of the lowest priority
STANDARD.slices = 4.0                   # times the longest wait, or trial_look, that a trial takes: a shorter
                                        # one finds a whole core, or none

# Keeping up without a trial.
STANDARD.busy = 0.7                     # of one worker's time: below, one worker is enough,
                                        # with room for bursts; by trying
STANDARD.still_busy = 0.8               # of `busy`: below, one worker is enough again. Plans shall not go to and fro
STANDARD.late = 10                      # looks in a row that find the stream saturated: one worker is not enough,
                                        # whatever its load is reckoned to be; by trying
STANDARD.cut_will_do = 1.1              # times the ns between arrivals that a plan without sharded operators may take
                                        # by the model and be the first choice: costs of the first moments are too high

# The cost model: rather too small than too large, for they mostly say what is worth a trial. How long a line takes, and
# a byte of a unit, is the machine's (``core_costs``).
STANDARD.handoff_lines = 3.0            # lines that come from another core as a unit is handed to another
                                        # worker, at each boundary: two of its readiness, one of the turn,
                                        # which is taken for several units. With 5 plans that pay were not
                                        # tried in simulations of far cores
STANDARD.scatter = 4.0                  # ns per row to index a unit by partition, and to process rows by that index: 4
                                        # were measured, for 100 ns of keyed work a tuple
STANDARD.visit_lines = 3.0              # lines per unit and partition: of the turn, of the unit, and of the state


def standard() -> dict:
    """Return the constants by name, as a run has them."""
    return STANDARD


cdef ControllerConstants constants_with(changes):
    """The constants, with ``changes`` by name, or None. Raises ValueError for a name or a number that cannot be."""
    cdef dict values = STANDARD
    for name, value in (changes or {}).items():
        if name not in values:
            raise ValueError(f"the controller has no constant {name!r}: choose from {', '.join(values)}.")
        one = name in ("first_unit", "averaged")
        if not value >= one:
            raise ValueError(
                f"the controller's {name} must be {'1 or more' if one else 'no less than 0'}, not {value!r}."
            )
        values[name] = value
    return values
