/**
 * Plays the life of objects of one kind to a server, the reference or ours: made, seen alone, in lists and by a watch, patched and replaced, also where only a part can
 * be written, deleted alone and together. Gives back what was answered, without what is new in every run. Never judges it.
 */
import { masked } from '../masked';
import { isBody, type Body, type Headers, type Json } from '../reference';
import type { LivingKind } from './kinds';

export interface LifecycleReply {
  readonly code: number;
  readonly text: string;
  readonly warnings: readonly string[];
}

export type LifecycleSend = (method: string, path: string, headers: Headers, body: string) => Promise<LifecycleReply>;

const MERGE = 'application/merge-patch+json';
const AGENT = { 'user-agent': 'recorder/1' };
const MARK = 'set';
/** What a deletion leaves behind is the matter of other tests. */
const BACKGROUND = { propagationPolicy: 'Background' };

/** `namespace`: of this run alone, and the beginning of a second one's name. */
export async function runLifecycle(send: LifecycleSend, kind: LivingKind, namespace: string): Promise<Body> {
  const life = new Life(send, kind, namespace);
  await life.open();
  await life.writeWhole();
  await life.writeStatus();
  await life.writeScale();
  await life.remove();
  return { name: kind.name, steps: life.steps, watched: await life.watched() };
}

class Life {
  readonly steps: Json[] = [];
  private readonly second: string;
  private version = '';
  private first = '';

  constructor(
    private readonly send: LifecycleSend,
    private readonly kind: LivingKind,
    private readonly namespace: string,
  ) {
    this.second = `${namespace}-2`;
  }

  async open(): Promise<void> {
    for (const name of [this.namespace, this.second])
      await this.send('POST', '/api/v1/namespaces', { 'content-type': 'application/json' }, JSON.stringify({ metadata: { name } }));
    await this.step('GET', `${this.collection()}${this.query()}`);
    this.first = this.version;
  }

  async writeWhole(): Promise<void> {
    const { body, patch = {}, update = {} } = this.kind;
    for (const name of ['a', 'b']) await this.step('POST', this.collection(), this.object(name, body));
    if (this.kind.isClusterScoped !== true) await this.step('POST', this.collection(this.second), this.object('c', body), this.second);
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

  async remove(): Promise<void> {
    await this.step('DELETE', this.path('b'), BACKGROUND);
    await this.step('GET', this.path('b'));
    await this.step('DELETE', `${this.collection()}${this.query()}`, BACKGROUND);
    for (const path of [this.collection(), this.everywhere()]) await this.step('GET', `${path}${this.query()}`);
  }

  /** All that happened since the beginning, as one who watches sees it. */
  async watched(): Promise<Json[]> {
    const query = `${this.query()}&watch=true&timeoutSeconds=1&resourceVersion=${this.first}`;
    const { text } = await this.send('GET', `${this.collection()}${query}`, AGENT, '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const event: Json = JSON.parse(line);
        if (!isBody(event)) return event;
        const metadata = isBody(event['object']) && isBody(event['object']['metadata']) ? event['object']['metadata'] : {};
        return masked({ type: event['type'] ?? '', name: metadata['name'] ?? '', labels: metadata['labels'] ?? null }, this.namespace);
      });
  }

  private async step(method: string, path: string, body?: Body, namespace = this.namespace): Promise<void> {
    const type = method === 'PATCH' ? MERGE : 'application/json';
    const sent = body === undefined ? '' : JSON.stringify(body).replaceAll('$NS', namespace);
    const { code, text, warnings } = await this.send(method, path, { ...AGENT, ...(sent === '' ? {} : { 'content-type': type }) }, sent);
    const answered: Json = text.startsWith('{') ? JSON.parse(text) : text;
    if (code < 300 && isBody(answered) && isBody(answered['metadata'])) {
      const { resourceVersion } = answered['metadata'];
      if (typeof resourceVersion === 'string') this.version = resourceVersion;
    }
    this.steps.push({
      request: `${method} ${path}`.replaceAll(this.namespace, '$NS'),
      code,
      body: masked(answered, this.namespace),
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    });
  }

  private name(short: string): string {
    return this.kind.isClusterScoped === true ? `${this.namespace}-${short}` : short;
  }

  private object(short: string, body: Body): Body {
    return { metadata: { name: this.name(short), labels: { [MARK]: this.namespace } }, ...body };
  }

  /** As it is to be after the version that was seen last. */
  private replaced(short: string, body: Body): Body {
    const labels = { [MARK]: this.namespace, patched: 'yes' };
    return { ...body, metadata: { name: this.name(short), labels, annotations: { updated: 'yes' }, resourceVersion: this.version } };
  }

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

  private query(): string {
    return `?labelSelector=${MARK}%3D${this.namespace}`;
  }
}
