from Cython.Build import cythonize
from setuptools import Extension, setup

from streambench import get_include

extension = Extension("own_node", ["own_node.pyx"], language="c++", extra_compile_args=["-std=c++20"])
setup(name="own_node", ext_modules=cythonize(extension, include_path=[get_include()]))
