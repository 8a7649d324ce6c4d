import atexit
import importlib.util
import shutil
import tempfile


def load_kernels(source):
    """The module with the kernels.  The compiler reads their text from its file, which is removed in the end."""
    folder = tempfile.mkdtemp(prefix='kforge-')
    atexit.register(shutil.rmtree, folder, True)
    path, name = os.path.join(folder, 'kernel.py'), f'kforge_{NAME}_kernels'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(source)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
