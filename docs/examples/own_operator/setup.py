from Cython.Build import cythonize
from setuptools import Extension, setup

from streambench import get_include

setup(name="sensors", ext_modules=cythonize(Extension("sensors", ["sensors.pyx"]), include_path=[get_include()]))
