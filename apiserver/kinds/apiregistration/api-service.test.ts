/** Compares responses to valid and invalid APIServices with release 1.31.1. */
import { readRecording } from '../../../test/replay/recording';
import { body, shape, text, type Check } from '../../../test/replay/shape';
import { shortenPatterns } from '../../../test/replay/normalize/normalize-response';
import { openWriteFixture, type WriteResult } from '../../../test/support/store/write-fixture';
import { useResource } from '../../../test/support/use-resource';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';

interface RecordedCase {
  readonly title: string;
  /** The request: `create`, `update`, or `status` for an update of the status. */
  readonly to: string;
  readonly sent: JsonObject;
  readonly answer: JsonObject;
}

const isRecordedCase: Check<RecordedCase> = shape({ title: text, to: text, sent: body, answer: body });
const RECORDED = readRecording('apiregistration/api-services', body, isRecordedCase).cases;
const recordedCases = (request: string): readonly RecordedCase[] => RECORDED.filter(({ to }) => to === request);
const NAME = 'v1.ext.example.com';

describe('creating an APIService', () => {
  const fixture = useResource(() => openWriteFixture({ naming: 'kubernetes' }));

  test.each(recordedCases('create'))('answers as recorded: $title', async ({ sent, answer }) => {
    expect(await answerTo('create', fixture().create('apiservices', withName(sent), { dryRun: true }))).toEqual(answer);
  });
});

describe.each(['update', 'status'])('updating an APIService (%s)', (request) => {
  const subresource = request === 'status' ? request : undefined;
  // The first recorded creation is the object that is updated.
  const original = recordedCases('create')[0]?.sent;
  const fixture = useResource(async () => {
    const opened = await openWriteFixture({ naming: 'kubernetes' });
    const { entry } = await opened.create('apiservices', withName(original ?? {}));
    await opened.cache.catchUp();
    return { ...opened, resourceVersion: String(entry.revision) };
  });

  test.each(recordedCases(request))('answers as recorded: $title', async ({ sent, answer }) => {
    const { update, resourceVersion } = fixture();
    const object = withName({ ...original, ...sent, metadata: { ...objectAt(sent, 'metadata'), resourceVersion } });
    expect(await answerTo(request, update('apiservices', NAME, object, { dryRun: true, subresource }))).toEqual(answer);
  });

  test('is rejected without a resourceVersion', async () => {
    const update = fixture().update('apiservices', NAME, withName(original ?? {}), { dryRun: true, subresource });
    await expect(update).rejects.toThrow('metadata.resourceVersion: Invalid value: 0x0: must be specified for an update');
  });
});

function withName(sent: JsonObject): JsonObject {
  return { ...sent, metadata: { name: NAME, ...objectAt(sent, 'metadata') } };
}

/** The response in the form of the recording, which has no status for updates of the main endpoint. */
async function answerTo(request: string, response: Promise<WriteResult>): Promise<JsonObject> {
  try {
    const { object, created } = await response;
    const time = stringAt(objectAt(object, 'metadata'), 'creationTimestamp') ?? '';
    const { spec = null, status = null } = object;
    const labels = objectAt(object, 'metadata')?.['labels'] ?? null;
    const answer = { code: created ? 201 : 200, labels, spec, ...(request === 'update' ? {} : { status }) };
    return JSON.parse(JSON.stringify(answer).replaceAll(time, '<time>'));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const causes = error.status.details?.causes ?? [];
    return {
      code: error.code,
      causes: causes.map(({ field = '', reason = '', message = '' }) => [field, reason, shortenPatterns(message)]),
    };
  }
}
