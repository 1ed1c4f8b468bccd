/**
 * Replays the recordings in `service`: the causes of a rejection, or the changes that the server makes to an accepted
 * Service.
 */
import { auditStoredAllocations } from '../../../test/support/store/allocation-audit';
import { serviceDeviation } from '../../../test/support/deviations/validation-deviations';
import { openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import { readRecording } from '../../../test/replay/recording';
import { isBody, type Body, type Json } from '../../../test/replay/json-response';
import {
  applyMergePatch,
  changesByServer,
  isServiceCase,
  isServiceHead,
  maskAllocations,
  objectPatchOf,
  requestsOf,
  stepsOfChange,
  type ServiceResponse,
  type ServiceChange,
  type ServiceSequence,
  type ServiceStep,
} from '../../../test/replay/formats/service-case';
import { useResource } from '../../../test/support/use-resource';
import { StatusError } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { Subresource } from '../verbs';

const RANGES_FLAG = '--service-cluster-ip-range=';

describe.each(['service/single', 'service/dual'])('the writer, on the recording %s,', (recording) => {
  const { head, cases } = readRecording(recording, isServiceHead, isServiceCase);
  const changes = cases.flatMap((serviceCase) => ('steps' in serviceCase ? [] : [serviceCase]));
  const sequences = cases.flatMap((serviceCase) => ('steps' in serviceCase ? [serviceCase] : []));
  const ranges = head.serverFlags.find((flag) => flag.startsWith(RANGES_FLAG))!.slice(RANGES_FLAG.length);
  const fixture = useResource(() => openWriteFixture({ ranges }));

  it.each(changes.map(changeRow))('answers as recorded: %s: %s', async (_title, key, change) => {
    const { create, update } = stepsOfChange(head, change);
    const patch = objectPatchOf(change);
    const [onCreate, onUpdate] = expectedAnswers(key, [change.create, change.update]);
    expect(await send(fixture(), create, patch)).toEqual([onCreate]);
    expect((await send(fixture(), update, patch))[1]).toEqual(onUpdate);
  });

  it.each(sequences.map(sequenceRow))('answers as recorded: %s', async (key, { steps }) => {
    const expected = expectedAnswers(
      key,
      steps.map(({ answer }) => answer),
    );
    expect(await send(fixture(), steps, key)).toEqual(expected);
  });

  // Every case deletes its Service, so a remaining allocation belongs to a rejected or changed Service.
  it('leaves no address and no port allocated', async () => {
    expect(await auditStoredAllocations(fixture().store)).toEqual({ services: 0, allocations: 0, findings: [] });
  });
});

function changeRow(change: ServiceChange): readonly [title: string, key: string, change: ServiceChange] {
  return [change.title, JSON.stringify([change.base, change.change]), change];
}

function sequenceRow(sequence: ServiceSequence): readonly [key: string, sequence: ServiceSequence] {
  return [JSON.stringify(requestsOf(sequence)), sequence];
}

function expectedAnswers(key: string, recorded: readonly (ServiceResponse | undefined)[]): readonly ServiceResponse[] {
  return recorded.map((answer, index) => {
    if (answer === undefined) throw new Error(`${key} is not recorded`);
    return serviceDeviation(key, index) ?? answer;
  });
}

const NAME = 'recorded';

/** Sends the steps to a new Service, deletes it and returns the answers. */
async function send(fixture: WriteFixture, steps: readonly ServiceStep[], request: unknown): Promise<readonly ServiceResponse[]> {
  let object: Body = {};
  const answers: ServiceResponse[] = [];
  for (const step of steps) {
    await fixture.cache.catchUp();
    fixture.warnings.length = 0;
    let answer: ServiceResponse;
    try {
      const { entry, created, sent } = await perform(fixture, step, object);
      object = JSON.parse(entry.bytes.toString());
      answer = { code: created ? 201 : 200, made: changesByServer(sent, object) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      answer = refusalOf(error);
    }
    const warnings = fixture.warnings.length > 0 ? { warnings: [...new Set(fixture.warnings)] } : {};
    answers.push(maskAllocations({ ...answer, ...warnings }, request, NAME));
  }
  await fixture.cache.catchUp();
  if (object['metadata'] !== undefined) await fixture.remove('services', NAME);
  return answers;
}

function refusalOf({ code, status: { message = '', details } }: StatusError): ServiceResponse {
  const causes = (details?.causes ?? []).map((cause) => [cause.field ?? '', cause.reason ?? '', cause.message ?? '']);
  return { code, ...(code === 422 && causes.length > 0 ? { causes } : { message }) };
}

/** A write that was accepted. */
interface Performed {
  readonly entry: Entry;
  readonly created: boolean;
  /** What the server changed is compared to this. */
  readonly sent: Json;
}

/** Sends one step. `object` is the Service after the previous step. */
async function perform(fixture: WriteFixture, { verb, body }: ServiceStep, object: Body): Promise<Performed> {
  const subresource: Subresource = verb.startsWith('status') ? 'status' : undefined;
  if (verb === 'json') return { ...(await fixture.patch('services', NAME, 'json', body)), sent: object };
  if (!isBody(body)) throw new Error(`the body of ${verb} is not an object`);
  const members: Body = structuredClone(body);
  const named = applyMergePatch({ metadata: { name: NAME } }, members);
  switch (verb) {
    case 'create':
      return { ...(await fixture.create('services', structuredClone(named))), sent: named };
    case 'replace':
      return { ...(await fixture.update('services', NAME, structuredClone(named))), sent: named };
    case 'put':
    case 'status': {
      const sent = applyMergePatch(object, members);
      return { ...(await fixture.update('services', NAME, structuredClone(sent), { subresource })), sent };
    }
    case 'apply':
    case 'status-apply': {
      const configuration = applyMergePatch({ apiVersion: 'v1', kind: 'Service' }, named);
      return { ...(await fixture.patch('services', NAME, 'apply', configuration, { subresource, force: true })), sent: object };
    }
    case 'merge':
    case 'status-merge':
      return { ...(await fixture.patch('services', NAME, 'merge', members, { subresource })), sent: object };
    case 'strategic':
      return { ...(await fixture.patch('services', NAME, 'strategic', members)), sent: object };
  }
}
