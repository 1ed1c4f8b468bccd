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
const domain = fc.array(part, { maxLength: 3 }).map((parts) => parts.map((one) => `${one}.`).join(''));
const group = fc.constantFrom(...GROUP_STEMS).map((stem) => `${stem}.platform.io`);
const systemNamespace = fc.constantFrom(...systemNamespaces(GENERATED_NAMES.platform).slice(0, 3));
const accountOf = (namespace: string): string => `system:serviceaccount:${namespace}:`;

/** Every kind of name of the product, in both spellings. */
const names: fc.Arbitrary<readonly [canonical: string, upstream: string]> = fc.oneof(
  group.map((one) => [one, groupInDialect('kubernetes', one)] as const),
  fc
    .tuple(group, fc.constantFrom('v1', 'v1beta1'))
    .map(([one, v]) => [`${one}/${v}`, `${groupInDialect('kubernetes', one)}/${v}`] as const),
  fc.tuple(part, group).map(([one, of]) => [`${one}.${of}`, `${one}.${groupInDialect('kubernetes', of)}`] as const),
  fc.tuple(domain, part).map(([of, one]) => [`${of}platform.io/${one}`, `${of}kubernetes.io/${one}`] as const),
  fc.tuple(fc.constantFrom(...K8S_IO_NAME_PREFIXES), part).map(([[a, b], one]) => [a + one, b + one] as const),
  systemNamespace.map((one) => [one, one.replace('platform', 'kube')] as const),
  fc.tuple(systemNamespace, part).map(([of, one]) => [accountOf(of) + one, accountOf(of.replace('platform', 'kube')) + one] as const),
  systemNamespace.map((of) => [`system:serviceaccounts:${of}`, `system:serviceaccounts:${of.replace('platform', 'kube')}`] as const),
);

test('otherSpelling inverts itself, and isSameName is true for both spellings of every name of the product', () => {
  fc.assert(
    fc.property(names, ([canonical, upstream]) => {
      expect([otherSpelling(canonical), otherSpelling(upstream)]).toEqual([upstream, canonical]);
      expect([isSameName(canonical, upstream), isSameName(upstream, canonical)]).toEqual([true, true]);
      expect(new Set(bothSpellings([canonical]))).toEqual(new Set(bothSpellings([upstream])));
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

test('a qualified name round-trips through either dialect', () => {
  fc.assert(
    fc.property(domain, part, fc.constantFrom('platform.io', 'kubernetes.io', 'k8s.io', 'example.com'), (of, name, end) => {
      const qualified = `${of}${end}/${name}`;
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

test('spellingConflicts reports a key whose two spellings have different values', () => {
  fc.assert(
    fc.property(names, part, part, ([canonical, upstream], a, b) => {
      fc.pre(otherQualifiedName(canonical) !== undefined && canonicalQualifiedName(upstream) === canonical);
      const found = spellingConflicts({ [upstream]: a, x: 'y', [canonical]: b });
      expect(found).toEqual(a === b ? [] : [{ key: canonical, other: upstream, value: b }]);
      expect(spellingConflicts({ [upstream]: a, x: 'y' })).toEqual([]);
    }),
  );
});

test('spellingsOfLabelValue returns two spellings for values of product keys and one for values of other keys', () => {
  const [key, other] = ['kubernetes.io/metadata.name', 'platform.io/metadata.name'];
  expect(spellingConflicts({ [key]: 'kube-system', [other]: 'platform-system' })).toEqual([]);
  expect(spellingsOfLabelValue(key, 'kube-system')).toEqual(['kube-system', 'platform-system']);
  expect(spellingsOfLabelValue('name', 'kube-system')).toEqual(['kube-system']);
  expect(spellingsOfLabelValue('endpointslice.kubernetes.io/managed-by', 'endpointslice-controller.k8s.io')).toHaveLength(2);
});

test('valueOfName and withoutNames find a key in either spelling', () => {
  const labels = { 'kubernetes.io/os': 'linux', app: 'x' };
  const keys = ['platform.io/os', 'kubernetes.io/os', 'app', 'constructor'];
  expect(keys.map((key) => valueInEitherSpelling(labels, key))).toEqual(['linux', 'linux', 'x', undefined]);
  expect(omitNames(labels, ['platform.io/os'])).toEqual({ app: 'x' });
});

test('namesInRule adds the other spelling to resourceNames of namespaces only', () => {
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

test('canonicalGroup inverts groupIn for every group', () => {
  for (const stem of GROUP_STEMS) expect(canonicalGroup(groupInDialect('kubernetes', `${stem}.platform.io`))).toBe(`${stem}.platform.io`);
});
