import type { CoreV1Node } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { deprecatedLabelPatch } from './deprecated-labels';

test.each<[Record<string, string>, Record<string, string | null> | undefined]>([
  [{}, undefined],
  [{ 'platform.io/os': 'linux' }, { 'beta.platform.io/os': 'linux' }],
  [{ 'kubernetes.io/os': 'linux', 'beta.platform.io/os': 'windows' }, { 'beta.platform.io/os': 'linux' }],
  [
    { 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'windows' },
    { 'beta.platform.io/os': 'linux', 'beta.kubernetes.io/os': null },
  ],
  [{ 'platform.io/arch': 'amd64', 'beta.platform.io/arch': 'amd64', 'beta.platform.io/os': 'linux' }, undefined],
])('deprecatedLabelPatch for the labels %j returns %j', (labels, patch) =>
  expect(deprecatedLabelPatch(apiObject<CoreV1Node>({ metadata: { name: 'n', labels } }), 'platform.io')).toEqual(patch),
);
