/** Compares responses to valid and invalid APIServices with release 1.31.1. */
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { shortenPatterns } from '../../../test/replay/normalize/normalize-response';
import { openWriteFixture, type WriteResult } from '../../../test/support/store/write-fixture';
import { useResource } from '../../../test/support/use-resource';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';

interface Recorded {
  readonly title: string;
  /** The request: `create`, `update`, or `status` for an update of the status. */
  readonly to: string;
  readonly sent: JsonObject;
  readonly answer: JsonObject;
}

const isRecorded: Check<Recorded> = shape({ title: text, to: text, sent: body, answer: body });
const RECORDED = readRecording('apiregistration/api-services', body, isRecorded).cases;
const NAME = 'v1.ext.example.com';

const fixture = useResource(() => openWriteFixture({ naming: 'kubernetes' }));

describe('creating an APIService', () => {
  test.each(recordedCases('create'))('answers as recorded: %s', async (_title, { sent, answer }) => {
    expect(await runRequest('create', () => fixture().create('apiservices', withName(sent), { dryRun: true }))).toEqual(answer);
  });
});

describe.each(['update', 'status'])('updating an APIService (%s)', (to) => {
  // The first recorded creation is the object that is updated.
  const [, plain] = recordedCases('create')[0] ?? [];
  const subresource = to === 'status' ? to : undefined;
  let resourceVersion: string;
  beforeAll(async () => {
    const { entry } = await fixture().create('apiservices', withName(plain?.sent ?? {}));
    resourceVersion = String(entry.revision);
    await fixture().cache.catchUp();
  });
  afterAll(async () => {
    await fixture().remove('apiservices', NAME);
    await fixture().cache.catchUp();
  });

  test.each(recordedCases(to))('answers as recorded: %s', async (_title, { sent, answer }) => {
    const object = withName({ ...plain?.sent, ...sent, metadata: { ...objectAt(sent, 'metadata'), resourceVersion } });
    expect(await runRequest(to, () => fixture().update('apiservices', NAME, object, { dryRun: true, subresource }))).toEqual(answer);
  });

  test('is rejected without a resourceVersion', async () => {
    const update = fixture().update('apiservices', NAME, withName(plain?.sent ?? {}), { dryRun: true, subresource });
    await expect(update).rejects.toThrow('metadata.resourceVersion: Invalid value: 0x0: must be specified for an update');
  });
});

function recordedCases(to: string): (readonly [string, Recorded])[] {
  return RECORDED.filter((row) => row.to === to).map((row) => [row.title, row]);
}

function withName(sent: JsonObject): JsonObject {
  return { ...sent, metadata: { name: NAME, ...objectAt(sent, 'metadata') } };
}

/** The response in the form of the recording, which has no status for updates of the main endpoint. */
async function runRequest(to: string, perform: () => Promise<WriteResult>): Promise<JsonObject> {
  try {
    const { object, created } = await perform();
    const time = stringAt(objectAt(object, 'metadata'), 'creationTimestamp') ?? '';
    const { spec = null, status = null } = object;
    const labels = objectAt(object, 'metadata')?.['labels'] ?? null;
    const shown = { code: created ? 201 : 200, labels, spec, ...(to === 'update' ? {} : { status }) };
    return JSON.parse(JSON.stringify(shown).replaceAll(time, '<time>'));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const causes = error.status.details?.causes ?? [];
    return {
      code: error.code,
      causes: causes.map(({ field = '', reason = '', message = '' }) => [field, reason, shortenPatterns(message)]),
    };
  }
}
