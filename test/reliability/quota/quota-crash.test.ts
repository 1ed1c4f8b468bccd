/**
 * Two API servers on etcd create objects under one ResourceQuota, and one of them is killed (SIGKILL) meanwhile: the
 * quota is never exceeded, and the other server uses it up.
 */
import { ApiClient } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { startApiServer, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

const NAMESPACE = '/api/v1/namespaces/default';
/** Far fewer than the objects that are created, so that some are rejected. */
const LIMIT = 50;
/** Writers that compete for the last object of the quota, half of them through each server. */
const WRITERS = 16;
const OBJECTS_PER_WRITER = 13;
/** The server is killed after as many creations, while others are in flight. */
const ACKNOWLEDGED_BEFORE_KILL = 10;

describeWithEtcd('a ResourceQuota enforced by two API servers', () => {
  const folder = useFolder('quota-crash');
  const etcd = useResource(startEtcd, (started) => started.dispose());

  it('is neither exceeded nor left unfilled when one of them is killed', async () => {
    const start = async (): Promise<ApiServer> => startApiServer({ folder, securePort: await freePort(), etcdServers: etcd().endpoint });
    const survivor = await start();
    const victim = await start();
    const client = new ApiClient(survivor.address, survivor.certificates, WRITERS);
    const victimClient = new ApiClient(victim.address, victim.certificates, WRITERS);
    try {
      const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': String(LIMIT) } } };
      expect((await client.send('POST', `${NAMESPACE}/resourcequotas`, quota)).status).toBe(201);
      const acknowledged: string[] = [];
      const rejected: string[] = [];
      let killed: Promise<unknown> | undefined;
      /** Creates the objects of one writer, and kills the server when enough creations are acknowledged. */
      const createObjects = async (target: ApiClient, name: string): Promise<void> => {
        for (let n = 0; n < OBJECTS_PER_WRITER; n += 1) {
          // `undefined` when the killed server did not respond.
          const response = await target
            .send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: `${name}-${n}` } })
            .catch(() => undefined);
          if (response?.status === 201) acknowledged.push(`${name}-${n}`);
          else if (response?.status === 403) rejected.push(response.text);
          else if (response !== undefined) throw new Error(response.text);
          if (acknowledged.length >= ACKNOWLEDGED_BEFORE_KILL) killed ??= victim.process.kill();
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, index) => createObjects(index % 2 === 0 ? client : victimClient, `w${index}`));
      await Promise.all(writers);
      await killed;
      const { items = [] } = (await client.get(`${NAMESPACE}/configmaps`)).json();
      const present = new Set(items.map(({ metadata: { name } }) => name));
      expect(acknowledged.filter((name) => !present.has(name))).toEqual([]);
      expect(present.size).toBe(LIMIT);
      expect(rejected.length).toBeGreaterThan(0);
      expect(rejected.every((text) => text.includes(`limited: count/configmaps=${LIMIT}`))).toBe(true);
    } finally {
      client.close();
      victimClient.close();
      await survivor.process.stop();
    }
  }, 60_000);
});
