/**
 * A plug-in of esbuild for bundles of modules that find files beside themselves with `__dirname`. Each module is wrapped
 * in a function: top-level constants of a bundle would become variables, which V8 reads again each time, while constants
 * in functions are inlined.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const DIRNAME = /\b__dirname\b/g;

/**
 * Replaces `__dirname` in a bundle that lies in the folder `from`. `locate` returns where a module would be beside the
 * bundle, `undefined` for one that is left as it is.
 */
export function keepDirnames(from, locate) {
  return {
    name: 'dirnames',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, ({ path: file }) => {
        const location = locate(file);
        if (location === undefined) return undefined;
        const directory = `require('node:path').join(__dirname, ${JSON.stringify(path.relative(from, path.dirname(location)))})`;
        return { contents: `(function () {${readFileSync(file, 'utf8').replace(DIRNAME, directory)}\n}).call(exports);` };
      });
    },
  };
}
