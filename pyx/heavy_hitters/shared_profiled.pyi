from streambench.pyx.heavy_hitters.shared import Shared as Shared
