/** Watches of one object: a change that concerns none of them, and one that all of them receive. */
import { configMap } from '../harness/client';
import { EventCounter } from '../harness/event-counter';
import { measureLoop } from '../harness/measure';
import { forEachNumber, openGrownServer } from './grown-server';
import type { Subject } from './subject';

const NAMESPACE = 'grown';
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
/** Events that are delivered in one measurement: with fewer watches, by more changes. */
const EVENTS = 20_000;

/**
 * Objects that no watch selects: more than requests are in flight, so that no two requests write the same one at once.
 */
const OTHERS = 100;

/** Grows by watches that all select the same object. */
export const watches: Subject = {
  name: 'watches',
  size: 40,
  item: 'a watch of one object, until its first event',
  async open() {
    const { client, request, ...grown } = await openGrownServer();
    await grown.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    const others = Array.from({ length: OTHERS }, (_, index) => `other-${index}`);
    for (const name of ['watched', ...others]) await client.send('POST', CONFIG_MAPS, configMap(NAMESPACE, name, ''));
    const events = new EventCounter();
    const change = (name: string, stamp: number): Promise<number> =>
      client.send('PUT', `${CONFIG_MAPS}/${name}`, configMap(NAMESPACE, name, String(stamp)));
    let changes = 0;
    /** Resolves when each watch has the event of the change. */
    const changeWatched = async (): Promise<void> => {
      const total = events.received + events.streams;
      await change('watched', (changes += 1));
      await events.waitFor(total);
    };
    return {
      ...grown,
      async close() {
        events.close();
        await grown.close();
      },
      async add(from, to) {
        // Each new watch begins with an ADDED event of the object that exists.
        const total = events.received + to - from;
        await forEachNumber(from, to, async () =>
          events.addStream(await client.open('GET', `${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Dwatched`)),
        );
        await events.waitFor(total);
      },
      operations: [
        request('change of an object that no watch selects', 'constant', (index) => change(`other-${index % OTHERS}`, index)),
        {
          name: 'change of the object, until all have its event',
          growth: 'linear',
          measure: async () =>
            (await measureLoop(grown.pid, { workers: 1, count: Math.ceil(EVENTS / events.streams) }, changeWatched)).cpuMicros,
        },
      ],
    };
  },
};
