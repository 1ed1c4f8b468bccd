/**
 * Who may import whom: every folder has a row, which names what it may import besides itself; it may also import what those may. A row names only rows above it,
 * so there is no circle of folders at any depth. Tests stand outside the table: they may import anything.
 */
const table = {
  'shared/names': [],
  'shared/values': [],
  'shared/runtime': ['shared/names', 'shared/values'],
  'shared/api/identity': ['shared/values'],
  'shared/api/errors': ['shared/api/identity'],
  'shared/api/metadata': ['shared/api/errors', 'shared/names'],
  'shared/api/selectors': ['shared/api/metadata'],
  'shared/api/types/default-rules': ['shared/api/metadata'],
  'shared/api/types/generated': ['shared/values'],
  'shared/api/types': ['shared/api/types/default-rules', 'shared/api/types/generated'],
  'shared/api/types/generate': ['shared/api/types', 'shared/api/kinds', 'shared/serialization'],
  'shared/api/structural': ['shared/api/types'],
  'shared/api/kinds': ['shared/api/structural'],
  'shared/api/conversion': ['shared/api/kinds'],
  'shared/api/codec': ['shared/api/kinds'],
  'shared/serialization': ['shared/api/types', 'shared/runtime'],
  'shared/configuration': ['shared/serialization'],
  'shared/patch': ['shared/values'],
  'shared/patch/strategic-merge': ['shared/api/types'],
  'shared/patch/apply': ['shared/api/structural'],
  'shared/expression/values': ['shared/values'],
  'shared/expression/types': ['shared/expression/values'],
  'shared/expression/syntax': ['shared/expression/values'],
  'shared/expression/library': ['shared/expression/types', 'shared/expression/syntax'],
  'shared/expression/check': ['shared/expression/library'],
  'shared/expression/cost': ['shared/expression/check'],
  'shared/expression/run': ['shared/expression/check'],
  'shared/expression': ['shared/expression/cost', 'shared/expression/run'],
  'shared/expression/custom': ['shared/expression', 'shared/api/structural'],
  'shared/client': ['shared/api/kinds', 'shared/serialization', 'shared/runtime'],

  'apiserver/storage': ['shared/runtime'],
  'apiserver/storage/embedded': ['apiserver/storage'],
  'apiserver/storage/etcd/http2': ['shared/runtime'],
  'apiserver/storage/etcd': ['apiserver/storage', 'apiserver/storage/etcd/http2', 'shared/serialization'],
  'apiserver/cache': ['apiserver/storage'],
  'apiserver/allocation': ['apiserver/storage'],
  'apiserver/registry': ['apiserver/cache', 'apiserver/allocation', 'shared/api/kinds', 'shared/patch/apply'],
  'apiserver/registry/object': [
    'apiserver/registry',
    'shared/api/conversion',
    'shared/api/codec',
    'shared/api/selectors',
    'shared/serialization',
  ],
  'apiserver/registry/read': ['apiserver/registry/object'],
  'apiserver/registry/write': ['apiserver/registry/object', 'shared/patch', 'shared/patch/strategic-merge', 'shared/patch/apply'],
  'apiserver/registry/operations': ['apiserver/registry/write'],
  'apiserver/kinds/rules': ['shared/api/selectors', 'shared/serialization'],
  'apiserver/kinds/core/config': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/event': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/namespace': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/claim': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/endpoints': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/limits': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/node': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/service': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/core/pod-template': ['apiserver/kinds/core/claim', 'apiserver/kinds/core/node'],
  'apiserver/kinds/core/pod': ['apiserver/kinds/core/pod-template'],
  'apiserver/kinds/core/volume': ['apiserver/kinds/core/pod-template'],
  'apiserver/kinds/core/workload': ['apiserver/kinds/core/pod-template'],
  'apiserver/kinds/apiregistration': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/autoscaling': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/certificates': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/coordination': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/discovery': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/flowcontrol': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/networking': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/policy': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/rbac': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/scheduling': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/storage': ['apiserver/kinds/rules', 'apiserver/registry'],
  'apiserver/kinds/apiextensions/schema': ['apiserver/kinds/rules', 'shared/expression/custom'],
  'apiserver/kinds/apiextensions': ['apiserver/kinds/apiextensions/schema', 'apiserver/registry'],
  'apiserver/kinds/apps': ['apiserver/kinds/core/workload'],
  'apiserver/kinds/batch/job': ['apiserver/kinds/core/workload'],
  'apiserver/kinds/batch': ['apiserver/kinds/batch/job'],
  'apiserver/kinds/events': ['apiserver/kinds/core/event'],
  'apiserver/kinds/node': ['apiserver/kinds/core/pod-template'],
  'apiserver/kinds': [],
  'apiserver/authorization': ['shared/api/selectors', 'shared/runtime'],
  'apiserver/authorization/rbac': ['apiserver/authorization', 'shared/api/metadata'],
  'apiserver/authorization/node': ['apiserver/authorization/rbac'],
  'apiserver/authorization/webhook': ['apiserver/authorization', 'shared/client', 'shared/expression'],
  'apiserver/upkeep': ['apiserver/kinds/core/service', 'apiserver/registry/write'],
  'apiserver/upkeep/default-roles': ['apiserver/upkeep', 'apiserver/authorization/rbac'],
  'apiserver/custom-resources': ['apiserver/upkeep', 'apiserver/kinds/apiextensions', 'shared/expression/custom'],
  'apiserver/admission': [
    'apiserver/authorization/node',
    'apiserver/kinds/networking',
    'apiserver/kinds/scheduling',
    'apiserver/registry/object',
  ],
  'apiserver/authentication': ['shared/api/identity', 'shared/client'],
  'apiserver/authentication/service-account': ['apiserver/authentication', 'shared/api/metadata', 'shared/serialization', 'shared/runtime'],
  'apiserver/authentication/oidc': ['apiserver/authentication/service-account', 'shared/expression'],
  'apiserver/reviews': ['apiserver/registry/operations', 'apiserver/authentication/service-account', 'apiserver/authorization'],
  'apiserver/printers/table': ['shared/api/kinds', 'shared/names'],
  'apiserver/printers/cells': ['apiserver/printers/table'],
  'apiserver/printers/columns': ['apiserver/printers/table'],
  'apiserver/printers': ['apiserver/printers/cells', 'apiserver/printers/columns'],
  'apiserver/audit': ['shared/client', 'shared/configuration'],
  'apiserver/endpoints/output': ['shared/runtime'],
  'apiserver/endpoints/request': ['apiserver/audit', 'apiserver/endpoints/output', 'apiserver/registry', 'shared/serialization'],
  'apiserver/endpoints/representation': ['apiserver/endpoints/request', 'apiserver/registry/object', 'apiserver/printers/table'],
  'apiserver/endpoints/answer': ['apiserver/endpoints/representation'],
  'apiserver/endpoints/handlers': ['apiserver/endpoints/answer', 'apiserver/registry/operations'],
  'apiserver/endpoints': ['apiserver/endpoints/handlers'],
  'apiserver/discovery': ['apiserver/registry', 'shared/serialization'],
  'apiserver/openapi': ['apiserver/registry', 'shared/serialization'],
  'apiserver/health': ['apiserver/registry'],
  'apiserver/metrics': ['apiserver/registry'],
  'apiserver/server': [
    'shared/configuration',
    'apiserver/authentication/oidc',
    'apiserver/authorization/node',
    'apiserver/authorization/webhook',
    'apiserver/discovery',
    'apiserver/endpoints',
    'apiserver/health',
    'apiserver/metrics',
    'apiserver/openapi',
    'apiserver/registry/read',
    'apiserver/reviews',
  ],
  'apiserver/server/compose': [],
  'apiserver/options': ['apiserver/server/compose'],
  apiserver: ['apiserver/options'],

  'controllers/runtime': ['shared/client', 'shared/api/selectors'],
  'controllers/serving': ['shared/client'],
  'controllers/bootstrap-token': ['controllers/runtime'],
  'controllers/cluster-role-aggregation': ['controllers/runtime'],
  'controllers/namespace': ['controllers/runtime'],
  'controllers/root-ca': ['controllers/runtime'],
  'controllers/service-account': ['controllers/runtime'],
  'controllers/storage-protection': ['controllers/runtime'],
  controllers: [],
  'deploy/local': ['shared/client', 'shared/api/metadata', 'shared/runtime'],
  'deploy/scripts': [],
};

/** Folders that wire together all that lies in theirs. */
const COMPOSED = {
  controllers: /^controllers\//,
  'apiserver/kinds': /^apiserver\/kinds\//,
  'apiserver/server/compose': /^apiserver\/(?!server\/compose$|options$)/,
};
for (const [row, parts] of Object.entries(COMPOSED)) table[row] = Object.keys(table).filter((other) => parts.test(other));

const tests = '([.]test[.]ts$|^test/)';
const folders = '^(apiserver|controllers|shared|deploy)/';

/** Everything that a row may reach. Throws where the table has a circle or names what has no row. */
function reachOf(row, above = []) {
  if (!(row in table)) throw new Error(`${above.at(-1)} names ${row}, which has no row`);
  if (above.includes(row)) throw new Error(`a circle of folders: ${[...above, row].join(' > ')}`);
  return new Set([row, ...table[row].flatMap((next) => [...reachOf(next, [...above, row])])]);
}

const filesOf = (row) => `^${row}/[^/]+$`;

const layers = Object.keys(table).map((row) => {
  const reach = [...reachOf(row)];
  return {
    name: `layer ${row}`,
    severity: 'error',
    comment: `${row} may import only ${reach.join(', ')}`,
    from: { path: filesOf(row), pathNot: tests },
    to: { path: '^(apiserver|controllers|shared|deploy|test)/', pathNot: ['[.]json$', ...reach.map(filesOf)] },
  };
});

export default {
  forbidden: [
    ...layers,
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'every folder has a row',
      severity: 'error',
      from: { path: folders, pathNot: [tests, '[.]mjs$', ...Object.keys(table).map(filesOf)] },
      to: {},
    },
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
