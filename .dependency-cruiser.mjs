/**
 * Who may import whom: the table of the design, as data. A folder may import itself, what its row names, and what those may import.
 * Tests stand outside the table: they may import anything.
 */
const table = {
  'shared/names': [],
  'shared/api': ['shared/names'],
  'shared/serialization': ['shared/api', 'shared/runtime'],
  'shared/patch': ['shared/api', 'shared/serialization'],
  'shared/expression': ['shared/api'],
  'shared/client': ['shared/api', 'shared/serialization', 'shared/runtime'],
  'shared/runtime': ['shared/names'],

  'apiserver/storage': ['shared/'],
  'apiserver/cache': ['apiserver/storage'],
  'apiserver/registry': ['apiserver/cache', 'apiserver/allocation'],
  'apiserver/allocation': ['apiserver/storage'],
  'apiserver/admission': ['apiserver/registry'],
  'apiserver/authentication': ['shared/'],
  'apiserver/authorization': ['shared/'],
  'apiserver/reviews': ['apiserver/registry', 'apiserver/authentication', 'apiserver/authorization'],
  'apiserver/audit': ['shared/'],
  'apiserver/flowcontrol': ['shared/'],
  'apiserver/endpoints': ['apiserver/registry', 'apiserver/discovery', 'apiserver/metrics'],
  'apiserver/discovery': ['apiserver/registry'],
  'apiserver/openapi': ['apiserver/registry'],
  'apiserver/health': ['apiserver/registry'],
  'apiserver/metrics': ['apiserver/registry'],
  'apiserver/server': ['apiserver/'],

  controllers: ['shared/'],
  deploy: ['shared/'],
};

const tests = '([.]test[.]ts$|^test/)';

/** Everything that `folder` may reach; a name that ends in `/` stands for all folders below it. */
function allowed(folder, seen = new Set()) {
  for (const next of table[folder] ?? []) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (!next.endsWith('/')) allowed(next, seen);
    else seen.add('shared/');
  }
  return seen;
}

const layers = Object.keys(table).map((folder) => {
  const reach = [folder, ...allowed(folder)].map((name) => (name.endsWith('/') ? name : `${name}/`));
  return {
    name: `layer ${folder}`,
    severity: 'error',
    comment: `${folder} may import only ${reach.join(', ')}`,
    from: { path: `^${folder}/`, pathNot: tests },
    to: { path: '^(apiserver|controllers|shared|deploy|test)/', pathNot: `^(${reach.join('|')})` },
  };
});

export default {
  forbidden: [
    ...layers,
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no tests in programs',
      severity: 'error',
      from: { path: '^(apiserver|controllers|shared|deploy)/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'no development packages in programs',
      severity: 'error',
      from: { path: '^(apiserver|controllers|shared|deploy/local)/', pathNot: `(${tests}|/generate/)` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    { name: 'no unresolved imports', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|coverage)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['node', 'require', 'import', 'types', 'default'],
    },
  },
};
