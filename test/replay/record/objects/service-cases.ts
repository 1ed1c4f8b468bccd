/** Records the format `service-cases`. Services are stored in the namespace `svcrules` for the duration of a case. */
import { readRecording } from '../../recording';
import { causesOf, textOf, type Body, type Json, type JsonResponse } from '../../json-response';
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
  type ServiceHead,
  type ServiceSequence,
  type ServiceStep,
  type ServiceVerb,
} from '../../formats/service-case';
import { withRecordedOrder } from '../recorded-order';
import type { RecordingDriver } from '../recording-driver';
import type { ReferenceServer } from '../reference-server';
import { toCanonical, toUpstream } from '../spelling';

const NAMESPACE = 'svcrules';
const SERVICES = `/api/v1/namespaces/${NAMESPACE}/services`;
const PATCH_TYPES: Readonly<Partial<Record<ServiceVerb, string>>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  'status-merge': 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

export const recordServiceCases: RecordingDriver = async (recording, server) => {
  const { head, cases } = readRecording(recording, isServiceHead, isServiceCase);
  await server.sendJson('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const recorder = new ServiceRecorder(server, head);
  const recorded: (ServiceChange | ServiceSequence)[] = [];
  for (const serviceCase of cases)
    recorded.push('steps' in serviceCase ? await recorder.recordSequence(serviceCase) : await recorder.recordChange(serviceCase));
  return [head, ...recorded];
};

interface Exchange {
  readonly reply: JsonResponse;
  /** The object that the response is compared with. */
  readonly sent: Json;
}

class ServiceRecorder {
  /** The number of Services created so far. */
  private count = 0;

  constructor(
    private readonly server: ReferenceServer,
    private readonly head: ServiceHead,
  ) {}

  /** Sends the change as a creation and as an update. */
  async recordChange(change: ServiceChange): Promise<ServiceChange> {
    const steps = stepsOfChange(this.head, change);
    const patch = objectPatchOf(change);
    const [create] = await this.send(steps.create, patch);
    const [, update] = await this.send(steps.update, patch);
    return {
      ...change,
      ...(create === undefined ? {} : { create: withRecordedOrder(create, change.create) }),
      ...(update === undefined ? {} : { update: withRecordedOrder(update, change.update) }),
    };
  }

  /** Sends the steps of a sequence. */
  async recordSequence(sequence: ServiceSequence): Promise<ServiceSequence> {
    const responses = await this.send(sequence.steps, requestsOf(sequence));
    return {
      steps: sequence.steps.map((step, index) => {
        const response = responses[index];
        return response === undefined ? step : { ...step, answer: withRecordedOrder(response, step.answer) };
      }),
    };
  }

  /** Sends the steps to one new Service and deletes it. Allocated values that occur in `request` are not masked. */
  private async send(steps: readonly ServiceStep[], request: unknown): Promise<readonly ServiceResponse[]> {
    const name = `case-${process.pid}-${++this.count}`;
    let object: Body = {};
    const responses: ServiceResponse[] = [];
    for (const step of steps) {
      const exchange = await this.sendStep(name, step, object);
      responses.push(maskAllocations(responseOf(exchange), request, name));
      if (exchange.reply.code < 400) object = exchange.reply.body;
    }
    await this.server.sendJson('DELETE', `${SERVICES}/${name}`);
    return responses;
  }

  /** Sends a step; `object` is the Service as the last response returned it. */
  private async sendStep(name: string, { verb, body }: ServiceStep, object: Body): Promise<Exchange> {
    const path = `${SERVICES}/${name}${verb.startsWith('status') ? '/status' : ''}`;
    const patchType = PATCH_TYPES[verb];
    if (patchType !== undefined) return { reply: await this.exchange('PATCH', path, body, patchType), sent: object };
    const members: Body = JSON.parse(JSON.stringify(body));
    const named = applyMergePatch({ metadata: { name } }, members);
    if (verb === 'create') return { reply: await this.exchange('POST', SERVICES, named), sent: named };
    if (verb === 'replace') return { reply: await this.exchange('PUT', path, named), sent: named };
    if (verb === 'put' || verb === 'status') {
      const sent = applyMergePatch(object, members);
      return { reply: await this.exchange('PUT', path, sent), sent };
    }
    const configuration = applyMergePatch({ apiVersion: 'v1', kind: 'Service' }, named);
    return {
      reply: await this.exchange('PATCH', `${path}?fieldManager=test&force=true`, configuration, 'application/apply-patch+yaml'),
      sent: object,
    };
  }

  /** Returns the response in canonical spelling. */
  private async exchange(method: 'POST' | 'PUT' | 'PATCH', path: string, body: Json, type = 'application/json'): Promise<JsonResponse> {
    const sent: Json = JSON.parse(toUpstream(JSON.stringify(body)));
    const reply: JsonResponse = JSON.parse(toCanonical(JSON.stringify(await this.server.sendJson(method, path, sent, type))));
    return reply;
  }
}

/** The causes of a rejection, or its message when it has none, or the changes that the server made to the object. */
function responseOf({ reply, sent }: Exchange): ServiceResponse {
  const { code, body } = reply;
  const message = textOf(body['message']);
  const warnings = reply.warnings.length > 0 ? { warnings: [...reply.warnings] } : {};
  if (code < 400) return { code, made: changesByServer(sent, body), ...warnings };
  const portCause = healthCheckPortCause(reply);
  if (portCause !== undefined) return { code: 422, causes: [portCause] };
  const causes = causesOf(reply).map((cause) => cause.map(structsToJson));
  return { code, ...(code === 422 && causes.length > 0 ? { causes } : { message }), ...warnings };
}

/** The reference server responds with 500 to a requested port that is allocated; this server names the field. */
function healthCheckPortCause({ body: { message } }: JsonResponse): string[] | undefined {
  const [, text, port] = /(failed to allocate requested HealthCheck NodePort (\S+): .*)$/.exec(textOf(message)) ?? [];
  return port === undefined ? undefined : ['spec.healthCheckNodePort', 'FieldValueInvalid', `Invalid value: ${port}: ${text}`];
}

/** A duplicate port, which the reference server prints in Go syntax and this server as JSON. */
const SERVICE_PORT = /core\.ServicePort\{.*?Protocol:"(\w*)".*? Port:(-?\d+),.*? NodePort:0\}/;

const structsToJson = (text: string): string => text.replace(SERVICE_PORT, '{"protocol":"$1","port":$2}');
