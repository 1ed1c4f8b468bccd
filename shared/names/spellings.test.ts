/** The two spellings of names of the product: translation is unambiguous and invertible for every kind of name. */
import fc from 'fast-check';
import {
  canonicalGroup,
  canonicalQualifiedName,
  DIALECTS,
  GENERATED_NAMES,
  groupInDialect,
  GROUP_STEMS,
  otherQualifiedName,
  qualifiedNameInDialect,
  K8S_IO_NAME_PREFIXES,
  systemNamespaces,
} from './dialect';
import {
  bothSpellings,
  isSameName,
  ruleNamesInBothSpellings,
  otherSpelling,
  pathSpellings,
  spellingConflicts,
  spellingsOfLabelValue,
  valueInEitherSpelling,
  omitNames,
} from './spellings';

const part = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const domain = fc.array(part, { maxLength: 3 }).map((parts) => parts.map((label) => `${label}.`).join(''));
const group = fc.constantFrom(...GROUP_STEMS).map((stem) => `${stem}.platform.io`);
const systemNamespace = fc.constantFrom(...systemNamespaces(GENERATED_NAMES.platform).slice(0, 3));
const accountOf = (namespace: string): string => `system:serviceaccount:${namespace}:`;

/** Every kind of name of the product, in both spellings. */
const names: fc.Arbitrary<readonly [canonical: string, upstream: string]> = fc.oneof(
  group.map((canonical) => [canonical, groupInDialect('kubernetes', canonical)] as const),
  fc
    .tuple(group, fc.constantFrom('v1', 'v1beta1'))
    .map(([name, version]) => [`${name}/${version}`, `${groupInDialect('kubernetes', name)}/${version}`] as const),
  fc.tuple(part, group).map(([resource, name]) => [`${resource}.${name}`, `${resource}.${groupInDialect('kubernetes', name)}`] as const),
  fc.tuple(domain, part).map(([subdomain, name]) => [`${subdomain}platform.io/${name}`, `${subdomain}kubernetes.io/${name}`] as const),
  fc
    .tuple(fc.constantFrom(...K8S_IO_NAME_PREFIXES), part)
    .map(([[canonical, upstream], name]) => [canonical + name, upstream + name] as const),
  systemNamespace.map((name) => [name, name.replace('platform', 'kube')] as const),
  fc
    .tuple(systemNamespace, part)
    .map(([namespace, name]) => [accountOf(namespace) + name, accountOf(namespace.replace('platform', 'kube')) + name] as const),
  systemNamespace.map((name) => [`system:serviceaccounts:${name}`, `system:serviceaccounts:${name.replace('platform', 'kube')}`] as const),
);

test('otherSpelling inverts itself, and isSameName is true for both spellings of every name of the product', () => {
  fc.assert(
    fc.property(names, ([canonical, upstream]) => {
      expect(otherSpelling(canonical)).toBe(upstream);
      expect(otherSpelling(upstream)).toBe(canonical);
      expect(isSameName(canonical, upstream)).toBe(true);
      expect(isSameName(upstream, canonical)).toBe(true);
      expect(bothSpellings([canonical])).toEqual([canonical, upstream]);
      expect(bothSpellings([upstream])).toEqual([upstream, canonical]);
    }),
    { numRuns: 2_000 },
  );
});

test('isSameName distinguishes different names in any spelling', () => {
  fc.assert(
    fc.property(names, names, ([canonical, upstream], [otherCanonical, otherUpstream]) => {
      fc.pre(canonical !== otherCanonical);
      for (const a of [canonical, upstream]) for (const b of [otherCanonical, otherUpstream]) expect(isSameName(a, b)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test('canonicalQualifiedName restores a name that qualifiedNameInDialect has translated', () => {
  fc.assert(
    fc.property(domain, part, fc.constantFrom('platform.io', 'kubernetes.io', 'k8s.io', 'example.com'), (subdomain, name, end) => {
      const qualified = `${subdomain}${end}/${name}`;
      const canonical = canonicalQualifiedName(qualified);
      expect(canonicalQualifiedName(canonical)).toBe(canonical);
      for (const dialect of DIALECTS) expect(canonicalQualifiedName(qualifiedNameInDialect(dialect, canonical))).toBe(canonical);
    }),
  );
});

test.each([
  ['a', undefined],
  ['kubernetes', undefined],
  ['platform', undefined],
  ['apps', undefined],
  ['example.com/x', undefined],
  ['gateway.networking.x-k8s.io/name', undefined],
  ['scheduling.k8s.io/group-name', undefined],
  ['kube-scheduler', undefined],
  ['rbac.authorization.kubernetes.io/aggregate-to-view', undefined],
  ['rbac.authorization.k8s.io/aggregate-to-view', 'rbac.authorization.platform.io/aggregate-to-view'],
  ['rbac.authorization.platform.io/autoupdate', 'rbac.authorization.kubernetes.io/autoupdate'],
  ['kubernetes.io', 'platform.io'],
  ['customresourcecleanup.apiextensions.k8s.io', 'customresourcecleanup.apiextensions.platform.io'],
])('otherSpelling of %s is %s', (name, other) => expect(otherSpelling(name)).toBe(other));

test('spellingConflicts reports a key with different values under its two spellings', () => {
  fc.assert(
    fc.property(names, part, part, ([canonical, upstream], a, b) => {
      // Only qualified names are keys of labels.
      fc.pre(otherQualifiedName(canonical) !== undefined && canonicalQualifiedName(upstream) === canonical);
      const conflicts = spellingConflicts({ [upstream]: a, x: 'y', [canonical]: b });
      expect(conflicts).toEqual(a === b ? [] : [{ key: canonical, other: upstream, value: b }]);
      expect(spellingConflicts({ [upstream]: a, x: 'y' })).toEqual([]);
    }),
  );
});

test('spellingConflicts ignores the two spellings of a key when their values are spellings of the same name', () => {
  const labels = { 'kubernetes.io/metadata.name': 'kube-system', 'platform.io/metadata.name': 'platform-system' };
  expect(spellingConflicts(labels)).toEqual([]);
});

test('spellingsOfLabelValue returns two spellings for values of product keys and one for values of other keys', () => {
  expect(spellingsOfLabelValue('kubernetes.io/metadata.name', 'kube-system')).toEqual(['kube-system', 'platform-system']);
  expect(spellingsOfLabelValue('name', 'kube-system')).toEqual(['kube-system']);
  expect(spellingsOfLabelValue('endpointslice.kubernetes.io/managed-by', 'endpointslice-controller.k8s.io')).toEqual([
    'endpointslice-controller.k8s.io',
    'endpointslice-controller.platform.io',
  ]);
});

test('valueInEitherSpelling and omitNames find a key in either spelling', () => {
  const labels = { 'kubernetes.io/os': 'linux', app: 'x' };
  expect(valueInEitherSpelling(labels, 'kubernetes.io/os')).toBe('linux');
  expect(valueInEitherSpelling(labels, 'platform.io/os')).toBe('linux');
  expect(valueInEitherSpelling(labels, 'app')).toBe('x');
  expect(valueInEitherSpelling(labels, 'constructor')).toBeUndefined();
  expect(omitNames(labels, ['platform.io/os'])).toEqual({ app: 'x' });
});

test('ruleNamesInBothSpellings adds the other spelling to resourceNames of namespaces only', () => {
  expect(ruleNamesInBothSpellings(['namespaces'], ['kube-system', 'a'])).toEqual(['kube-system', 'a', 'platform-system']);
  expect(ruleNamesInBothSpellings(['namespaces/status'], ['platform-public'])).toEqual(['platform-public', 'kube-public']);
  expect(ruleNamesInBothSpellings(['configmaps'], ['kube-system'])).toEqual(['kube-system']);
});

test.each([
  ['/apis/rbac.authorization.k8s.io/v1', '/apis/rbac.authorization.platform.io/v1'],
  ['/apis/coordination.platform.io', '/apis/coordination.k8s.io'],
  ['/openapi/v3/apis/discovery.k8s.io/*', '/openapi/v3/apis/discovery.platform.io/*'],
  ['/apis/apps/v1', undefined],
  ['/apis', undefined],
  ['/healthz/rbac.authorization.k8s.io', undefined],
])('pathSpellings adds to %s the other spelling %s', (path, other) => {
  expect(pathSpellings(path)).toEqual(other === undefined ? [path] : [path, other]);
});

test('otherSpelling handles names with many dots, and ignores text that is longer than any name', () => {
  const long = `${'kube.'.repeat(90)}platform.io`;
  expect(otherSpelling(long)).toBe(`${'kube.'.repeat(90)}kubernetes.io`);
  expect(otherSpelling(`${'kube.'.repeat(9_000)}platform.io`)).toBeUndefined();
  expect(otherSpelling(`${'a.'.repeat(90)}coordination.k8s.io`)).toBe(`${'a.'.repeat(90)}coordination.platform.io`);
});

test('canonicalGroup inverts groupInDialect for every group', () => {
  for (const stem of GROUP_STEMS) expect(canonicalGroup(groupInDialect('kubernetes', `${stem}.platform.io`))).toBe(`${stem}.platform.io`);
});
