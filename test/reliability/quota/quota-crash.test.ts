/**
 * Two API servers on etcd create under one quota, and one of them is killed (SIGKILL) meanwhile: no more objects come into being than there is room for, and the one
 * that is left fills it.
 */
import { ApiClient } from '../../support/api-client';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/etcd';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';

const NAMESPACE = '/api/v1/namespaces/default';
const ROOM = 50;
const LANES = 16;

describeWithEtcd('a ResourceQuota enforced by two API servers', () => {
  const folder = temporaryFolder('quota-crash');
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(async () => {
    await etcd.dispose();
    removeFolder(folder);
  });

  it('is neither exceeded nor left unfilled when one of them is killed', async () => {
    const start = async (): Promise<ApiServer> => startApiServer({ folder, securePort: await freePort(), etcdServers: etcd.endpoint });
    const [survivor, victim] = [await start(), await start()];
    const client = new ApiClient(survivor.address, survivor.certificates, LANES);
    const other = new ApiClient(victim.address, victim.certificates, LANES);
    try {
      const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': String(ROOM) } } };
      expect((await client.send('POST', `${NAMESPACE}/resourcequotas`, quota)).status).toBe(201);
      const acknowledged: string[] = [];
      const refused: string[] = [];
      let killed: Promise<unknown> | undefined;
      const lane = async (at: ApiClient, name: string): Promise<void> => {
        for (let n = 0; n < 200 / LANES; n += 1) {
          const answer = await at.send('POST', `${NAMESPACE}/configmaps`, { metadata: { name: `${name}-${n}` } }).catch(() => undefined);
          if (answer?.status === 201) acknowledged.push(`${name}-${n}`);
          else if (answer?.status === 403) refused.push(answer.text);
          else if (answer !== undefined) throw new Error(answer.text);
          // As soon as there is something to lose.
          if (acknowledged.length >= 10) killed ??= victim.process.kill();
        }
      };
      await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index % 2 === 0 ? client : other, `l${index}`)));
      await killed;
      const { items }: { items: { metadata: { name: string } }[] } = JSON.parse((await client.get(`${NAMESPACE}/configmaps`)).text);
      const present = new Set(items.map(({ metadata: { name } }) => name));
      expect(acknowledged.filter((name) => !present.has(name))).toEqual([]);
      expect(present.size).toBe(ROOM);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.every((text) => text.includes(`limited: count/configmaps=${ROOM}`))).toBe(true);
    } finally {
      client.close();
      other.close();
      await survivor.process.stop();
    }
  }, 60_000);
});
