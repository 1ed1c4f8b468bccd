/** Which Services and pods SelectionIndex finds, and with how many comparisons. */
import fc from 'fast-check';
import type { CoreV1Pod, CoreV1Service } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { isSelected, podView, type PodView } from './pod-view';
import { SelectionIndex } from './selection-index';
import { serviceView, type ServiceView } from './service-view';

type Labels = Readonly<Record<string, string>>;

/** The prefix of the annotations that serviceView reads; these Services have none. */
const ANNOTATION_PREFIX = 'platform.io';

const podOf = (name: string, labels: Labels): PodView => podView(apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name, labels } }));
const serviceOf = (name: string, selector: Labels): ServiceView =>
  serviceView(apiObject<CoreV1Service>({ metadata: { namespace: 'n', name }, spec: { selector } }), ANNOTATION_PREFIX);
const namesOf = (pods: readonly PodView[]): readonly string[] => pods.map(({ name }) => name);

/** A Service that calls `count` for each enumeration of its selector; a comparison with a pod enumerates it once. */
function countedService(name: string, selector: Labels, count: () => void): ServiceView {
  const counted = new Proxy(selector, {
    ownKeys(target) {
      count();
      return Reflect.ownKeys(target);
    },
  });
  return { ...serviceOf(name, selector), selector: counted };
}

describe('SelectionIndex', () => {
  it('compares a changed pod only with the Services that require one of its labels', () => {
    const index = new SelectionIndex();
    let comparisons = 0;
    for (let number = 0; number < 1000; number += 1)
      index.setService(
        `n/s${number}`,
        countedService(`s${number}`, { app: `a${number}` }, () => (comparisons += 1)),
      );
    const pod = podOf('p', { app: 'a7', tier: 'x' });
    index.setPod('n/p', pod);
    comparisons = 0;
    expect([...index.servicesOf([pod])]).toEqual(['n/s7']);
    expect(comparisons).toBe(1);
  });

  it('compares a Service only with the pods that have the first label of its selector', () => {
    const index = new SelectionIndex();
    let comparisons = 0;
    const service = countedService('s', { app: 'a7', tier: 'x' }, () => (comparisons += 1));
    index.setService('n/s', service);
    for (let number = 0; number < 1000; number += 1) index.setPod(`n/p${number}`, podOf(`p${number}`, { app: `a${number}`, tier: 'x' }));
    comparisons = 0;
    expect(namesOf(index.podsOf(service))).toEqual(['p7']);
    // Once to find the first label, once for the pod.
    expect(comparisons).toBe(2);
  });

  it('selects labels in either spelling', () => {
    const index = new SelectionIndex();
    const service = serviceOf('s', { 'kubernetes.io/a': 'x' });
    const pod = podOf('p', { 'platform.io/a': 'x' });
    index.setPod('n/p', pod);
    index.setService('n/s', service);
    expect(namesOf(index.podsOf(service))).toEqual(['p']);
    expect([...index.servicesOf([pod])]).toEqual(['n/s']);
  });

  it('finds what a comparison of all pods with all Services finds, after any changes', () => {
    const label = fc.tuple(fc.constantFrom('a', 'b', 'platform.io/c', 'kubernetes.io/c'), fc.constantFrom('1', '2'));
    const labels = fc.array(label, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs));
    // Without labels the change deletes the item.
    const change = fc.record({ isPod: fc.boolean(), name: fc.nat(4), labels: fc.option(labels, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const index = new SelectionIndex();
        for (const { isPod, name, labels: changed } of changes) {
          const key = `n/${name}`;
          if (changed === undefined && isPod) index.deletePod(key);
          else if (changed === undefined) index.deleteService(key);
          else if (isPod) index.setPod(key, podOf(String(name), changed));
          else index.setService(key, serviceOf(String(name), changed));
        }
        for (const pod of index.pods.values()) {
          const expected = [...index.services].filter(([, service]) => isSelected(pod, service)).map(([serviceKey]) => serviceKey);
          expect([...index.servicesOf([pod])].sort()).toEqual(expected.sort());
        }
        for (const service of index.services.values()) {
          const expected = [...index.pods.values()].filter((pod) => isSelected(pod, service));
          expect([...namesOf(index.podsOf(service))].sort()).toEqual([...namesOf(expected)].sort());
        }
      }),
    );
  });

  it('keeps no entries of deleted Services and pods', () => {
    const index = new SelectionIndex();
    for (let number = 0; number < 100; number += 1) {
      index.setService(`n/s${number}`, serviceOf(`s${number}`, { [`key${number}`]: 'x' }));
      index.setPod(`n/p${number}`, podOf(`p${number}`, { [`key${number}`]: 'x', app: 'y' }));
    }
    expect(index.labelledItems).toBe(200);
    for (let number = 0; number < 100; number += 1) index.deleteService(`n/s${number}`);
    expect(index.labelledItems).toBe(0);
    for (let number = 0; number < 100; number += 1) index.deletePod(`n/p${number}`);
    expect(index.isEmpty).toBe(true);
  });

  it('keeps the order of pods when one changes', () => {
    const index = new SelectionIndex();
    const service = serviceOf('s', { app: 'a' });
    index.setService('n/s', service);
    for (const name of ['p1', 'p2']) index.setPod(`n/${name}`, podOf(name, { app: 'a' }));
    index.setPod('n/p1', podOf('p1', { app: 'a', version: '2' }));
    expect(namesOf(index.podsOf(service))).toEqual(['p1', 'p2']);
  });
});
