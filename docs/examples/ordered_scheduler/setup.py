from Cython.Build import cythonize
from setuptools import Extension, setup

from streambench import get_include

setup(name="frames", ext_modules=cythonize(Extension("frames", ["frames.pyx"]), include_path=[get_include()]))
