/** `--runtime-config`: which kinds are served under its settings, and which settings are rejected. */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { SERVED_KINDS, type KindRow } from '../../../shared/api/kinds';
import { createRuntimeConfig, runtimeConfigFlag } from './runtime-config';

const flag = runtimeConfigFlag('');
/** The kinds that are served with the flag, given once for each text. */
const kindsWith = (...texts: string[]): readonly KindRow[] =>
  texts.reduce((previous, text) => flag.parse(text, previous), flag.default).kinds;

const versionsOf = (kinds: readonly KindRow[]): string[] => [...new Set(kinds.map((row) => apiVersionOf(row)))].sort();
const DEFAULT_VERSIONS = versionsOf(SERVED_KINDS);

/** The versions that are served with the flag, but not by default. */
function addedVersions(...texts: string[]): string[] {
  return versionsOf(kindsWith(...texts)).filter((version) => !DEFAULT_VERSIONS.includes(version));
}

/** The resources that are served by default, but not with the flag. */
function removedResources(...texts: string[]): string[] {
  const servedKinds = kindsWith(...texts);
  return SERVED_KINDS.filter((row) => !servedKinds.includes(row)).map((row) => `${apiVersionOf(row)}/${row.resource}`);
}

describe('--runtime-config', () => {
  test('without settings enables nothing', () => {
    expect(addedVersions()).toEqual([]);
  });

  test('enables all versions of a stability', () => {
    expect(addedVersions('api/beta=true')).toEqual([
      'admissionregistration.platform.io/v1beta1',
      'authentication.platform.io/v1beta1',
      'storage.platform.io/v1beta1',
    ]);
  });

  test.each(['resource.k8s.io/v1alpha3', 'resource.platform.io/v1alpha3=true', 'resource.platform.io/v1alpha3=1'])(
    'enables the version of the setting %s',
    (text) => {
      expect(addedVersions(text)).toEqual(['resource.platform.io/v1alpha3']);
    },
  );

  test('merges the settings of repeated flags, where a stability overrides api/all', () => {
    expect(addedVersions('api/alpha=true,api/all=false', 'api/ga=true')).toContain('resource.platform.io/v1alpha3');
  });

  test('enables one resource of a version', () => {
    expect(addedVersions('storage.k8s.io/v1beta1/volumeattributesclasses')).toEqual(['storage.platform.io/v1beta1']);
  });

  test('ignores an unknown resource of a version', () => {
    expect(addedVersions('storage.k8s.io/v1beta1/nothing=true')).toEqual([]);
  });

  test('serves the known versions beside one that its group does not have', () => {
    expect(addedVersions('batch/v2alpha1', 'resource.k8s.io/v1alpha3')).toEqual(['resource.platform.io/v1alpha3']);
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

  test.each([
    [
      'a stability',
      'api/beta=false',
      ['flowcontrol.apiserver.platform.io/v1beta3/flowschemas', 'flowcontrol.apiserver.platform.io/v1beta3/prioritylevelconfigurations'],
    ],
    ['a version', 'autoscaling/v2=false', ['autoscaling/v2/horizontalpodautoscalers']],
    ['a resource', 'batch/v1/jobs=false', ['batch/v1/jobs']],
  ])('disables %s', (_title, text, expected) => {
    expect(removedResources(text)).toEqual(expected);
  });

  test('uses the most specific setting', () => {
    expect(removedResources('api/beta=false', 'flowcontrol.apiserver.k8s.io/v1beta3=true')).toEqual([]);
  });

  test('uses the last setting of equal keys', () => {
    expect(removedResources('autoscaling/v2=false,autoscaling/v2=true')).toEqual([]);
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
