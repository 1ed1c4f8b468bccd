import { parseApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { podSettings } from './pod-settings';

const podWith = (annotations: Record<string, string>): Pod =>
  parseApiObject(resourceOf('core.v1.Pod'), { metadata: { name: 'p', annotations } });

describe('podSettings', () => {
  it.each([
    ['start-delay', 'soon'],
    ['run-duration', '-1s'],
    ['exit-code', '256'],
    ['failing-runs', 'many'],
    ['waiting-reason', 'not a word'],
  ])('reports the malformed annotation %s: %s', (name, value) => {
    const { settings, problems } = podSettings(podWith({ [`simulation.platform.io/${name}`]: value }));
    expect(problems).toEqual([expect.stringContaining(`simulation.platform.io/${name} must be`)]);
    expect(settings).toEqual(podSettings(podWith({})).settings);
  });
});
