/**
 * Runs scenarios on one server with its controllers: sends the requests, and reads the compared collections with masks of
 * what differs from run to run. Callers compare the states.
 */
import type { Method } from '../../../shared/client/transport/transport';
import { systemClock, type Clock } from '../../../shared/runtime/clock';
import { isBody, membersOf, metadataOf, objectsIn, textOf, type Body, type Json } from '../json-response';
import { PATCH_MEDIA } from '../normalize/spelling';
import { certificateRequest, isCertificateRequestFields, type CertificateRequestFields } from './certificate-request';
import {
  absolutePath,
  type ComparedCollection,
  type Impersonated,
  type ObservedState,
  type Scenario,
  type ScenarioRequest,
} from './scenario';
import { byText, ScenarioMasks, TRIGGER_ANNOTATION } from './scenario-masks';

export interface ScenarioResponse {
  readonly code: number;
  readonly body: Json;
}

/** Sends a request as the administrator or as a user that the administrator impersonates. */
export type ScenarioSend = (
  method: Method,
  path: string,
  headers: Readonly<Record<string, string | string[]>>,
  body?: Json,
) => Promise<ScenarioResponse>;

/** `pods/web-*!1/status`: folder `pods`, prefix `web-`, selection `!1`, rest `/status`. See `ScenarioRequest.path`. */
const ASTERISK_PATH = /^(?<folder>.*)\/(?<prefix>[a-z0-9-]*)\*(?<selection>!?1?)(?<rest>\/.*)?$/;
/** `$NOW-3600s` */
const RELATIVE_TIME = /\$NOW([+-]\d+)s/g;
const JSON_TYPE = { 'content-type': 'application/json' } as const;
/** Members of every object that are compared. */
const ALWAYS_COMPARED: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** The environment in which the server and its controllers run. */
export interface ScenarioEnvironment {
  readonly clock: Clock;
  /**
   * The revision of the last write that may have changed the objects of the scenario with this namespace; absent where
   * the store is not accessible.
   */
  readonly lastWrite?: (namespace: string) => number;
}

type ResponseTest = (response: ScenarioResponse) => boolean;

/** A request is repeated for ten seconds until its response is an awaited one. */
const POLL_MS = 100;
const MAX_POLLS = 100;

/** Repeats a request until the response is an awaited one, or returns the last response. */
async function pollUntilAwaited(
  sendOnce: () => ReturnType<ScenarioSend>,
  isAwaited: ResponseTest,
  clock: Clock,
): Promise<ScenarioResponse> {
  for (let polls = 0; ; polls += 1) {
    const response = await sendOnce();
    if (polls === MAX_POLLS || isAwaited(response)) return response;
    await clock.sleep(POLL_MS);
  }
}

const hasOtherCode =
  (...codes: readonly number[]): ResponseTest =>
  ({ code }) =>
    !codes.includes(code);
const hasData: ResponseTest = ({ body }) => isBody(body) && body['data'] !== undefined;

export class ScenarioSession {
  /** The revision of the last write when `servePods` ran last; `undefined` before, or when writes are not observed. */
  private servedRevision: number | undefined;
  private readonly masks: ScenarioMasks;

  constructor(
    private readonly send: ScenarioSend,
    readonly namespace: string,
    readonly environment: ScenarioEnvironment = { clock: systemClock },
  ) {
    this.masks = new ScenarioMasks(namespace, environment.clock);
  }

  /** Creates the namespace and waits for its service account. Throws when either fails. */
  async open(): Promise<void> {
    const { code } = await this.send('POST', '/api/v1/namespaces', JSON_TYPE, { metadata: { name: this.namespace } });
    if (code !== 201) throw new Error(`the namespace ${this.namespace} cannot be created: ${code}`);
    const account = `/api/v1/namespaces/${this.namespace}/serviceaccounts/default`;
    // Pods are rejected until the account exists.
    const response = await pollUntilAwaited(
      () => this.send('GET', account, JSON_TYPE),
      (response) => response.code === 200,
      this.environment.clock,
    );
    if (response.code !== 200) throw new Error(`the namespace ${this.namespace} has no service account`);
  }

  /** Renews the Lease of a node of the scenario. */
  async renewLease(node: string): Promise<void> {
    const folder = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const name = `${this.namespace}-${node}`;
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: this.date().toISOString().replace('Z', '000Z') };
    const { code } = await this.send('PATCH', `${folder}/${name}`, { 'content-type': 'application/merge-patch+json' }, { spec });
    if (code === 404) await this.send('POST', folder, JSON_TYPE, { metadata: { name }, spec });
  }

  /**
   * Sends a request and returns the code of the response. When the path has an asterisk, that of the first failure or of the last success;
   * 200 when it stands for no object.
   */
  async perform(request: ScenarioRequest): Promise<number> {
    const { folder, prefix = '', selection = '', rest = '' } = ASTERISK_PATH.exec(request.path)?.groups ?? {};
    if (folder === undefined) return this.performOnce(request);
    const { body } = await this.send('GET', absolutePath(folder, this.namespace), JSON_TYPE);
    let code = 200;
    for (const name of selectedNames(objectsIn(membersOf(body)['items']), prefix, selection)) {
      const responseCode = await this.performOnce({ ...request, path: `${folder}/${name}${rest}` });
      if (code < 300) code = responseCode;
    }
    return code;
  }

  /** Sets each pending pod to running and ready. Does nothing when nothing was written since the last call. */
  async servePods(): Promise<void> {
    const revision = this.environment.lastWrite?.(this.namespace);
    if (revision !== undefined && revision === this.servedRevision) return;
    this.servedRevision = revision;
    const { body } = await this.send('GET', absolutePath('pods', this.namespace), JSON_TYPE);
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: this.date().toISOString() }];
    for (const pod of objectsIn(membersOf(body)['items'])) {
      if (isBody(pod['status']) && pod['status']['phase'] !== 'Pending') continue;
      const { name } = metadataOf(pod);
      if (typeof name !== 'string') continue;
      const path = absolutePath(`pods/${name}/status`, this.namespace);
      await this.send('PATCH', path, { 'content-type': 'application/merge-patch+json' }, { status: { phase: 'Running', conditions } });
    }
  }

  private async performOnce({ method, path, type = 'merge', body, as, untilServed = false, awaitsData }: ScenarioRequest): Promise<number> {
    if (awaitsData !== undefined)
      await pollUntilAwaited(() => this.send('GET', absolutePath(awaitsData, this.namespace), JSON_TYPE), hasData, this.environment.clock);
    const sent: Json | undefined = body === undefined ? undefined : JSON.parse(this.fillIn(JSON.stringify(withCertificateRequests(body))));
    const contentType = method === 'PATCH' ? PATCH_MEDIA[type] : 'application/json';
    const headers = { 'content-type': contentType ?? type, ...impersonation(as) };
    const sendOnce = () => this.send(method, absolutePath(path, this.namespace), headers, sent);
    const response = await (untilServed ? pollUntilAwaited(sendOnce, hasOtherCode(404, 429), this.environment.clock) : sendOnce());
    this.masks.remember(response.body);
    return response.code;
  }

  /** Replaces masks of uids, the namespace and times in the body of a request. */
  private fillIn(text: string): string {
    const relativeTime = (_: string, seconds: string): string => `${this.date(Number(seconds)).toISOString().slice(0, 19)}Z`;
    const withNames = this.masks.withUids(text).replaceAll('$NS', this.namespace);
    return withNames.replace(RELATIVE_TIME, relativeTime).replaceAll('$NOW', this.date().toISOString());
  }

  private date(secondsAhead = 0): Date {
    return new Date(this.environment.clock.now() + secondsAhead * 1_000);
  }

  /** The compared members of the objects in each collection, masked. */
  async observe(collections: readonly ComparedCollection[]): Promise<ObservedState> {
    // All collections are read before the first is masked, because masks of one name objects of others.
    const observed = await Promise.all(
      collections.map(async (collection) => ({ collection, items: await this.readCollection(collection) })),
    );
    return Object.fromEntries(
      observed.map(({ collection: { path, unordered = [], omitted = [] }, items }) => [
        path,
        items.map((item) => this.masks.mask(without(item, omitted), '', unordered)).sort(byText),
      ]),
    );
  }

  /** The compared members of the scenario's objects in a collection; none while the kind is not served. */
  private async readCollection({ path, members, names, managedFields = false }: ComparedCollection): Promise<readonly Body[]> {
    const { code, body } = await pollUntilAwaited(
      () => this.send('GET', absolutePath(path, this.namespace), JSON_TYPE),
      hasOtherCode(429),
      this.environment.clock,
    );
    if (code === 404) return [];
    const { items } = membersOf(body);
    if (items === undefined) throw new Error(`cannot list ${path}: ${code}`);
    const objects = objectsIn(items);
    for (const object of objects) this.masks.remember(object);
    return objects.filter((object) => this.isOwn(object, names)).map((object) => comparedMembers(object, members, managedFields));
  }

  /** Deletes the namespace and the objects outside it. Does not wait until they are deleted. */
  async close({ leftovers = [] }: Pick<Scenario, 'leftovers'>): Promise<void> {
    for (const path of leftovers) await this.perform({ method: 'DELETE', path });
    await this.send('DELETE', `/api/v1/namespaces/${this.namespace}`, JSON_TYPE);
  }

  /**
   * Whether the object belongs to the scenario: its name is one of `names`, or, without these, its namespace or name
   * begins with that of the scenario's namespace.
   */
  private isOwn(item: Body, names: readonly string[] | undefined): boolean {
    const { namespace, name } = metadataOf(item);
    if (names !== undefined) return typeof name === 'string' && names.includes(name);
    return [namespace, name].some((text) => typeof text === 'string' && text.startsWith(this.namespace));
  }
}

const impersonation = (as: Impersonated | undefined): Record<string, string | string[]> =>
  as === undefined ? {} : { 'impersonate-user': as.user, 'impersonate-group': [...as.groups] };

/**
 * Expands `{ "$certificateRequests": [{ "commonName": "a" }] }` to certificate signing requests with new keys: PEM, one
 * after the other, in base64. A text in the list stands for itself.
 */
function withCertificateRequests(value: Json): Json {
  if (Array.isArray(value)) return value.map(withCertificateRequests);
  if (!isBody(value)) return value;
  const requests = value['$certificateRequests'];
  if (Array.isArray(requests)) {
    const parts = requests.map((part) => (typeof part === 'string' ? part : certificateRequest(requireRequestFields(part))));
    return Buffer.from(parts.join('')).toString('base64');
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withCertificateRequests(inner)]));
}

function requireRequestFields(value: Json): CertificateRequestFields {
  if (!isCertificateRequestFields(value)) throw new Error(`no certificate request: ${JSON.stringify(value)}`);
  return value;
}

/** The names that an asterisk with a prefix and a selection stands for. */
function selectedNames(items: readonly Body[], prefix: string, selection: string): readonly string[] {
  const active = selection.includes('!') ? items.filter((item) => !hasEnded(item)) : items;
  const withPrefix = active.map(metadataOf).filter(({ name }) => textOf(name).startsWith(prefix));
  const selected = selection.endsWith('1') ? withPrefix.filter(({ generateName }) => generateName !== undefined).slice(0, 1) : withPrefix;
  return selected.map(({ name }) => textOf(name));
}

function hasEnded({ status }: Body): boolean {
  return ['Succeeded', 'Failed'].includes(textOf(membersOf(status)['phase']));
}

/** These members of an object, or all; also the owners of its fields when `hasOwners`. */
function comparedMembers(item: Body, members: readonly string[] | undefined, hasOwners: boolean): Body {
  const compared = members === undefined ? item : pick(item, members);
  return hasOwners ? { ...compared, owners: ownersOf(item) } : compared;
}

/** The field manager of a client without a User-Agent, such as the scenario itself. */
const DEFAULT_MANAGER = 'unknown';

/** A replacer of JSON: `undefined` for metadata fields that are not compared, generateName and the trigger time. */
function shownField(field: string, value: Json): Json | undefined {
  const isOnlyTrigger =
    field === 'f:annotations' && isBody(value) && Object.keys(value).every((key) => ['.', `f:${TRIGGER_ANNOTATION}`].includes(key));
  return field === 'f:generateName' || field === `f:${TRIGGER_ANNOTATION}` || isOnlyTrigger ? undefined : value;
}

/**
 * One string per managedFields entry. The fields are a string too, because uids in their names are masked in strings
 * only.
 */
function ownersOf(item: Body): Json[] {
  return objectsIn(metadataOf(item)['managedFields'])
    .filter(({ manager }) => manager !== DEFAULT_MANAGER)
    .map(({ manager, operation, subresource, apiVersion, fieldsV1 = {} }) => {
      const texts = [manager, operation, subresource, apiVersion].map(textOf);
      return [...texts, JSON.stringify(fieldsV1, shownField)].join(' ');
    })
    .sort();
}

const pick = (item: Body, members: readonly string[]): Body =>
  Object.fromEntries([...ALWAYS_COMPARED, ...members].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));

/** The object without these members at any depth, except inside of lists. */
function without(value: Body, members: readonly string[]): Body {
  if (members.length === 0) return value;
  const remaining = Object.entries(value).filter(([name]) => !members.includes(name));
  return Object.fromEntries(remaining.map(([name, inner]) => [name, isBody(inner) ? without(inner, members) : inner]));
}
