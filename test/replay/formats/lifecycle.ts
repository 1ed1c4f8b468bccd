/**
 * Sends the requests of an object's lifecycle to a server: objects of one kind are created, read alone, in lists and by
 * a watch, patched and replaced, also through their subresources, and deleted alone and as a collection. Returns the
 * responses as a line of a recording (`"format": "lifecycles"`); compares nothing.
 */
import { maskVolatileValues } from '../normalize/mask-volatile-values';
import { readRecording } from '../recording';
import { isBody, metadataOf, resourceVersionOf, type Body, type Headers, type Json } from '../json-response';
import type { RecordedRequest } from '../requests/request-recording';
import { body, listOf, number, oneOf, shape, text, boolean, tupleOf, type Checked } from '../shape';

/** A kind, and what is sent for it. Names are those of upstream. `$NS` is the namespace of the run and begins the names of cluster-scoped objects. */
const isKind = shape(
  {
    name: text,
    /** `/api/v1` or `/apis/<group>/<version>`. */
    root: text,
    resource: text,
    /** Without metadata. */
    body,
  },
  {
    isClusterScoped: boolean,
    /** A merge patch, sent with a label. */
    patch: body,
    /** Replaces members of the body, sent with an annotation. */
    update: body,
    /** Sent to the status endpoint: the first as a merge patch, the second as a PUT. */
    status: tupleOf(body, body),
    /** Replicas that are sent to the scale endpoint: the first by a PUT, the second by a merge patch. */
    scale: tupleOf(number, number),
  },
);
export type KindWithLifecycle = Checked<typeof isKind>;

export interface Lifecycle {
  readonly kind: KindWithLifecycle;
  /** Request and response of each step, masked. */
  readonly steps: readonly Json[];
  /** The events of a watch since the beginning, masked. */
  readonly watched: readonly Json[];
}

const isHead = shape({ format: oneOf('lifecycles'), about: text });
/** A line that is not recorded yet has the kind alone. */
const isLine = shape({ kind: isKind }, { steps: listOf(body), watched: listOf(body) });

export const lifecycles = (recording: string) => readRecording(recording, isHead, isLine);

export interface LifecycleReply {
  readonly code: number;
  readonly text: string;
  readonly warnings: readonly string[];
}

type Method = RecordedRequest['method'];

export type LifecycleSend = (method: Method, path: string, headers: Headers, body: string) => Promise<LifecycleReply>;

const MERGE = 'application/merge-patch+json';
const AGENT = { 'user-agent': 'recorder/1' };
/** The label of all objects of a run; its value is the namespace of the run. */
const RUN_LABEL = 'set';
const BACKGROUND = { propagationPolicy: 'Background' };

/** `namespace` must not exist, nor a second one with the suffix `-2`. */
export async function runLifecycle(send: LifecycleSend, kind: KindWithLifecycle, namespace: string): Promise<Lifecycle> {
  const run = new LifecycleRun(send, kind, namespace);
  await run.open();
  await run.writeObjects();
  await run.writeStatus();
  await run.writeScale();
  await run.deleteObjects();
  return { kind, steps: run.steps, watched: await run.watched() };
}

class LifecycleRun {
  readonly steps: Json[] = [];
  private readonly secondNamespace: string;
  /** The resource version in the last accepted response. */
  private version = '';
  /** The resource version of the first list. */
  private firstVersion = '';

  constructor(
    private readonly send: LifecycleSend,
    private readonly kind: KindWithLifecycle,
    private readonly namespace: string,
  ) {
    this.secondNamespace = `${namespace}-2`;
  }

  /** Creates the namespaces and reads the empty collection. */
  async open(): Promise<void> {
    for (const name of [this.namespace, this.secondNamespace])
      await this.send('POST', '/api/v1/namespaces', { 'content-type': 'application/json' }, JSON.stringify({ metadata: { name } }));
    await this.step('GET', `${this.collection()}${this.query()}`);
    this.firstVersion = this.version;
  }

  /** Creates objects, reads them alone and in lists, and patches and replaces one. */
  async writeObjects(): Promise<void> {
    const { body, patch = {}, update = {} } = this.kind;
    for (const name of ['a', 'b']) await this.step('POST', this.collection(), this.object(name, body));
    if (this.kind.isClusterScoped !== true)
      await this.step('POST', this.collection(this.secondNamespace), this.object('c', body), this.secondNamespace);
    await this.step('GET', this.path('a'));
    for (const path of [this.collection(), this.everywhere()]) await this.step('GET', `${path}${this.query()}`);
    await this.step('PATCH', this.path('a'), { ...patch, metadata: { labels: { patched: 'yes' } } });
    await this.step('PUT', this.path('a'), this.replaced('a', { ...body, ...update }));
    await this.step('GET', this.path('a'));
  }

  async writeStatus(): Promise<void> {
    const { status, body, update = {} } = this.kind;
    if (status === undefined) return;
    const [patched, put] = status;
    const path = `${this.path('a')}/status`;
    await this.step('GET', path);
    await this.step('PATCH', path, { metadata: { annotations: { patchedstatus: 'true' } }, status: patched });
    await this.step('PUT', path, { ...this.replaced('a', { ...body, ...update }), status: put });
    await this.step('GET', this.path('a'));
  }

  async writeScale(): Promise<void> {
    const { scale } = this.kind;
    if (scale === undefined) return;
    const [put, patched] = scale;
    const path = `${this.path('a')}/scale`;
    await this.step('GET', path);
    await this.step('PUT', path, { metadata: { name: this.name('a'), resourceVersion: this.version }, spec: { replicas: put } });
    await this.step('PATCH', path, { spec: { replicas: patched } });
    await this.step('GET', this.path('a'));
  }

  /** Deletes one object alone and the others as a collection. */
  async deleteObjects(): Promise<void> {
    await this.step('DELETE', this.path('b'), BACKGROUND);
    await this.step('GET', this.path('b'));
    await this.step('DELETE', `${this.collection()}${this.query()}`, BACKGROUND);
    for (const path of [this.collection(), this.everywhere()]) await this.step('GET', `${path}${this.query()}`);
  }

  /** The events since the first list. */
  async watched(): Promise<Json[]> {
    const query = `${this.query()}&watch=true&timeoutSeconds=1&resourceVersion=${this.firstVersion}`;
    const { text } = await this.send('GET', `${this.collection()}${query}`, AGENT, '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const event: Json = JSON.parse(line);
        if (!isBody(event)) return event;
        const { name = '', labels = null } = metadataOf(event['object']);
        return maskVolatileValues({ type: event['type'] ?? '', name, labels }, this.namespace);
      });
  }

  /** Sends a request and adds it to the steps with its response. */
  private async step(method: Method, path: string, body?: Body, namespace = this.namespace): Promise<void> {
    const type = method === 'PATCH' ? MERGE : 'application/json';
    const sent = body === undefined ? '' : JSON.stringify(body).replaceAll('$NS', namespace);
    const { code, text, warnings } = await this.send(method, path, { ...AGENT, ...(sent === '' ? {} : { 'content-type': type }) }, sent);
    const responseBody: Json = text.startsWith('{') ? JSON.parse(text) : text;
    if (code < 300) this.version = resourceVersionOf(responseBody) || this.version;
    this.steps.push({
      request: `${method} ${path}`.replaceAll(this.namespace, '$NS'),
      code,
      body: maskVolatileValues(responseBody, this.namespace),
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    });
  }

  /** The name of an object; that of a cluster-scoped one begins with the namespace. */
  private name(short: string): string {
    return this.kind.isClusterScoped === true ? `${this.namespace}-${short}` : short;
  }

  private object(short: string, body: Body): Body {
    return { metadata: { name: this.name(short), labels: { [RUN_LABEL]: this.namespace } }, ...body };
  }

  /** The replacement for the last returned version of the object. */
  private replaced(short: string, body: Body): Body {
    const labels = { [RUN_LABEL]: this.namespace, patched: 'yes' };
    return { ...body, metadata: { name: this.name(short), labels, annotations: { updated: 'yes' }, resourceVersion: this.version } };
  }

  /** The path of the collection in all namespaces. */
  private everywhere(): string {
    return `${this.kind.root}/${this.kind.resource}`;
  }

  private collection(namespace = this.namespace): string {
    const { root, resource, isClusterScoped } = this.kind;
    return isClusterScoped === true ? this.everywhere() : `${root}/namespaces/${namespace}/${resource}`;
  }

  private path(short: string): string {
    return `${this.collection()}/${this.name(short)}`;
  }

  /** Selects the objects of the run. */
  private query(): string {
    return `?labelSelector=${RUN_LABEL}%3D${this.namespace}`;
  }
}
