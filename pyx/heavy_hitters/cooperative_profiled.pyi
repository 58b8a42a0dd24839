from streambench.pyx.heavy_hitters.cooperative import Cooperative as Cooperative
