/** `--runtime-config`: which kinds are served under its settings, and which settings are rejected. */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { SERVED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { createRuntimeConfig, runtimeConfigFlag } from './runtime-config';

const flag = runtimeConfigFlag('');
/** The kinds that are served with the flag once for each text. */
const kindsWith = (...texts: string[]): readonly KindRow[] =>
  texts.reduce((previous, text) => flag.parse(text, previous), flag.default).kinds;

const versions = (kinds: readonly KindRow[]): string[] => [...new Set(kinds.map((row) => apiVersionOf(row)))].sort();
/** The versions that are not served by default. */
const added = (...texts: string[]): string[] => {
  const known = versions(SERVED_KINDS);
  return versions(kindsWith(...texts)).filter((version) => !known.includes(version));
};
/** The resources that are served by default, but not with the flag. */
const removedKinds = (...texts: string[]): string[] => {
  const left = kindsWith(...texts);
  return SERVED_KINDS.filter((row) => !left.includes(row)).map((row) => `${apiVersionOf(row)}/${row.resource}`);
};

describe('--runtime-config', () => {
  test('without settings enables nothing', () => {
    expect(added()).toEqual([]);
  });

  test('enables all versions of a stability', () => {
    expect(added('api/beta=true')).toEqual([
      'admissionregistration.platform.io/v1beta1',
      'authentication.platform.io/v1beta1',
      'storage.platform.io/v1beta1',
    ]);
  });

  test('enables a version in either spelling, with true, 1 or no value', () => {
    expect(added('resource.k8s.io/v1alpha3')).toEqual(['resource.platform.io/v1alpha3']);
    expect(added('resource.platform.io/v1alpha3=true')).toEqual(['resource.platform.io/v1alpha3']);
    expect(added('resource.platform.io/v1alpha3=1')).toEqual(['resource.platform.io/v1alpha3']);
  });

  test('merges the settings of repeated flags, where a stability overrides api/all', () => {
    expect(added('api/alpha=true,api/all=false', 'api/ga=true')).toContain('resource.platform.io/v1alpha3');
  });

  test('enables one resource of a version', () => {
    expect(added('storage.k8s.io/v1beta1/volumeattributesclasses')).toEqual(['storage.platform.io/v1beta1']);
  });

  test('ignores an unknown resource of a version', () => {
    expect(added('storage.k8s.io/v1beta1/nothing=true')).toEqual([]);
  });

  test('serves the known versions beside one that its group does not have', () => {
    expect(added('batch/v2alpha1', 'resource.k8s.io/v1alpha3')).toEqual(['resource.platform.io/v1alpha3']);
  });

  test('returns the versions that their groups do not have', () => {
    const { unknownVersions } = createRuntimeConfig(
      new Map([
        ['batch/v2alpha1', true],
        ['apps/v2/deployments', false],
        ['apps/v1/x', true],
        ['api/beta', true],
        ['v1', true],
      ]),
    );
    expect(unknownVersions).toEqual(['batch/v2alpha1', 'apps/v2/deployments']);
  });

  test('disables a stability, a version or a resource', () => {
    expect(removedKinds('api/beta=false')).toEqual([
      'flowcontrol.apiserver.platform.io/v1beta3/flowschemas',
      'flowcontrol.apiserver.platform.io/v1beta3/prioritylevelconfigurations',
    ]);
    expect(removedKinds('autoscaling/v2=false')).toEqual(['autoscaling/v2/horizontalpodautoscalers']);
    expect(removedKinds('batch/v1/jobs=false')).toEqual(['batch/v1/jobs']);
  });

  test('uses the most specific setting', () => {
    expect(removedKinds('api/beta=false', 'flowcontrol.apiserver.k8s.io/v1beta3=true')).toEqual([]);
  });

  test('uses the last setting of equal keys', () => {
    expect(removedKinds('autoscaling/v2=false,autoscaling/v2=true')).toEqual([]);
  });

  test.each([
    ['foo', 'runtime-config invalid key foo'],
    ['foo/v1=true', 'unknown api groups foo'],
    ['apps/v1=x', 'invalid value of apps/v1: x, err: strconv.ParseBool: parsing "x": invalid syntax'],
    ['api/all=false', 'invalid key with only api/all=false'],
    ['api/foo=true', 'unknown api groups api'],
    ['apps/v1/deployments/status=false', 'runtime-config invalid key apps/v1/deployments/status'],
    [
      'networking.k8s.io/v1beta1/ipaddresses',
      'networking.k8s.io/v1beta1/ipaddresses cannot be served: allocated addresses are stored with their Services, not as objects',
    ],
  ])('rejects %s: %s', (text, message) => {
    expect(() => kindsWith(text)).toThrow(message);
  });
});
