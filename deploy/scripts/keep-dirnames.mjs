/**
 * A plug-in of esbuild for bundles of modules that find files beside themselves with `__dirname`. It also wraps each
 * module in a function: esbuild turns top-level constants into variables, which V8 reads again each time, while V8 inlines
 * the constants of a function.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const DIRNAME = /\b__dirname\b/g;

/**
 * Replaces `__dirname` in the modules of a bundle.
 *
 * @param from the folder of the bundle
 * @param locate returns the path where the files beside a module will be; `undefined` for a module that is left as it is
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
