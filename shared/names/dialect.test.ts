import {
  GENERATED_NAMES,
  apiVersionInDialect,
  canonicalApiVersion,
  canonicalGroup,
  canonicalNamespace,
  canonicalQualifiedName,
  dialectOfGroup,
  groupInDialect,
  otherQualifiedName,
  messageInDialect,
} from './dialect';

test('canonicalGroup and groupInDialect translate groups of the product and keep all others', () => {
  expect(canonicalGroup('coordination.k8s.io')).toBe('coordination.platform.io');
  expect(groupInDialect('kubernetes', 'rbac.authorization.platform.io')).toBe('rbac.authorization.k8s.io');
  for (const group of ['', 'apps', 'example.com', 'nothing.k8s.io']) {
    expect(canonicalGroup(group)).toBe(group);
    expect(groupInDialect('kubernetes', group)).toBe(group);
    expect(dialectOfGroup(group)).toBeUndefined();
  }
  expect(dialectOfGroup('meta.k8s.io')).toBe('kubernetes');
  expect(dialectOfGroup('meta.platform.io')).toBe('platform');
});

test('canonicalApiVersion and apiVersionInDialect keep the version', () => {
  expect(canonicalApiVersion('events.k8s.io/v1')).toBe('events.platform.io/v1');
  expect(apiVersionInDialect('kubernetes', 'events.platform.io/v1')).toBe('events.k8s.io/v1');
  expect(apiVersionInDialect('kubernetes', 'v1')).toBe('v1');
});

test('messageInDialect replaces only whole group names', () => {
  expect(messageInDialect('kubernetes', 'leases.coordination.platform.io "x" not found')).toBe('leases.coordination.k8s.io "x" not found');
  expect(messageInDialect('kubernetes', 'group "meta.platform.io"')).toBe('group "meta.k8s.io"');
  expect(messageInDialect('kubernetes', 'my-meta.platform.io.example')).toBe('my-meta.platform.io.example');
});

test('canonicalNamespace treats the system namespaces of the other dialect as aliases', () => {
  expect(canonicalNamespace(GENERATED_NAMES.platform, 'kube-system')).toBe('platform-system');
  expect(canonicalNamespace(GENERATED_NAMES.kubernetes, 'platform-public')).toBe('kube-public');
  expect(canonicalNamespace(GENERATED_NAMES.platform, 'default')).toBe('default');
});

test('canonicalQualifiedName and otherQualifiedName recognise both spellings', () => {
  expect(canonicalQualifiedName('bootstrap.kubernetes.io/token')).toBe('bootstrap.platform.io/token');
  expect(canonicalQualifiedName('example.com/x')).toBe('example.com/x');
  expect(otherQualifiedName('platform.io/service-name')).toBe('kubernetes.io/service-name');
  expect(otherQualifiedName('kubernetes.io/service-name')).toBe('platform.io/service-name');
  expect(otherQualifiedName('app')).toBeUndefined();
});
