/** What GETs and lists cost one server, each beside a bare TLS server that sends as many bytes. */
import { PROTOBUF_MEDIA_TYPE } from '../../../shared/names/dialect';
import { anonymousMegabytes } from '../../support/process-usage';
import { BareServer } from '../harness/bare-server';
import { createConfigMaps, printRow, withServer, type BenchServer } from '../harness/bench-server';
import { measureWarmLoop, type Cost } from '../harness/measure';
import { seconds } from '../harness/settings';

const PROTOBUF = PROTOBUF_MEDIA_TYPE.platform;
/** Objects that gets alternate between. */
const OBJECTS = 1_000;

/** Prints the memory of an idle server, and a row for each kind of read. */
export async function reads(): Promise<void> {
  await withServer(async (opened) => {
    console.log(`\nidle memory: ${anonymousMegabytes(opened.pid).toFixed(1)} MB\n`);
    const bare = await BareServer.start();
    try {
      await printReads(opened, bare);
    } finally {
      bare.stop();
    }
  });
}

async function printReads({ client, pid }: BenchServer, bare: BareServer): Promise<void> {
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: OBJECTS });
  await createConfigMaps({ client, pid }, { namespace: 'l500', count: 500 });
  await createConfigMaps({ client, pid }, { namespace: 'l10k', count: 10_000 });
  const get = async (
    name: string,
    { target, workers, headers }: { target: string | ((index: number) => string); workers: number; headers?: Record<string, string> },
  ): Promise<Cost> => {
    const pathAt = typeof target === 'string' ? () => target : target;
    const size = await client.send('GET', pathAt(0), undefined, headers);
    const floor = await bare.measureResponse({ size, workers, seconds: seconds / 2 });
    const cost = await measureWarmLoop(
      pid,
      { workers, seconds },
      async (index) => void (await client.send('GET', pathAt(index), undefined, headers)),
    );
    printRow(name, cost, { name: 'bare TLS', ...floor });
    return cost;
  };
  const getPath = (query: string) => (index: number) => `/api/v1/namespaces/bench/configmaps/o-${index % OBJECTS}${query}`;
  const list = (namespace: string, query = ''): string => `/api/v1/namespaces/${namespace}/configmaps${query}`;
  await get('get, consistent', { target: getPath(''), workers: 32 });
  await get('get, resourceVersion=0', { target: getPath('?resourceVersion=0'), workers: 32 });
  const consistent = await get('list of 500, consistent', { target: list('l500'), workers: 8 });
  const cached = await get('list of 500, resourceVersion=0', { target: list('l500', '?resourceVersion=0'), workers: 8 });
  printRow('  the first over the second', consistent, { name: 'resourceVersion=0', ...cached });
  await get('get as protobuf', { target: getPath(''), workers: 32, headers: { accept: PROTOBUF } });
  await get('list of 500 as protobuf', { target: list('l500'), workers: 8, headers: { accept: PROTOBUF } });
  await get('list of 500 as Table', {
    target: list('l500'),
    workers: 8,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.platform.io' },
  });
  await get('list of 500, selector matching 71', { target: list('l500', '?labelSelector=shard%3Ds3'), workers: 8 });
  await get('list of 10,000', { target: list('l10k'), workers: 2 });
  await get('page of 500 out of 10,000', { target: list('l10k', '?limit=500'), workers: 4 });
}
