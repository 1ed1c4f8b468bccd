/**
 * Webhooks as admission plug-ins: those that change objects are asked one after the other, and some of them once more when others have changed what they saw; those that
 * validate are asked at the same time. Where there are none, all this costs one comparison.
 */
import { deniedByWebhook, internalError, type StatusError } from '../../../shared/api/errors/status';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import { cloneJson, equalJson, stringAt, type JsonObject } from '../../../shared/values/json';
import type { AdmissionOperation, AdmissionTarget, AdmissionRequest } from '../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../chain';
import { ask, askedAs, questionFor, type AskParts, type Question } from './ask';
import type { Webhook, Webhooks, WebhookType } from './configuration';
import { Decisions } from './decisions';
import { mayMatch } from './match';
import { patchText, takePatch } from './patched';
import { isConverted, VersionedObjects } from './versioned';

export interface WebhookPluginParts extends AskParts {
  readonly webhooks: Webhooks;
}

const PREFIX = 'webhook.admission.platform.io';

const about = ({ webhooks }: WebhookPluginParts, type: WebhookType) => ({
  inspectsObject: (question: AdmissionTarget): boolean => webhooks.of(type).some((webhook) => mayMatch(webhook, question)),
  callsWebhooks: (question: Pick<AdmissionTarget, 'resource' | 'subresource'>): boolean =>
    webhooks.of(type).some((webhook) => mayMatch(webhook, question)),
  handles: (_operation: AdmissionOperation): boolean => webhooks.of(type).length > 0,
});

/** `again` = the plug-ins before, which see what webhooks have changed. */
export function mutatingWebhooks(
  parts: WebhookPluginParts,
  again: (request: AdmissionRequest) => Promise<void> | undefined,
): MutatingPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    ...about(parts, 'mutating'),
    mutate(request) {
      const all = parts.webhooks.of('mutating');
      return all.some((webhook) => mayMatch(webhook, request)) ? new Mutation(parts, all, request).run(again) : undefined;
    },
  };
}

/** What has happened to one request. */
class Mutation {
  /** Those that want to be asked again, and have been asked since somebody changed the object. */
  private asked = new Set<string>();
  /** Of them, those that have not seen the last change. */
  private outdated = new Set<string>();
  private hasChanged = false;
  private readonly decisions: Decisions;
  /** Absent where no webhook converts. */
  private objects: VersionedObjects | undefined;

  constructor(
    private readonly parts: WebhookPluginParts,
    private readonly all: readonly Webhook[],
    private readonly request: AdmissionRequest,
  ) {
    this.decisions = new Decisions(parts.authorize, request.user);
  }

  async run(again: (request: AdmissionRequest) => Promise<void> | undefined): Promise<void> {
    const { object } = this.request;
    await this.round(0, () => true);
    if (!this.hasChanged || object === undefined) return;
    const before = cloneJson(object);
    const pending = again(this.request);
    if (pending !== undefined) await pending;
    if (!equalJson(before, object)) this.outdate();
    await this.round(1, ({ id }) => this.outdated.has(id));
  }

  private async round(round: number, isDue: (webhook: Webhook) => boolean): Promise<void> {
    this.objects = isConverted(this.request) ? new VersionedObjects(this.request, inner) : undefined;
    let index = 0;
    for (const webhook of this.all) {
      const asking = { parts: this.parts, shown: this.request, decisions: this.decisions, objects: this.objects };
      const question = isDue(webhook) ? await questionOf(asking, webhook) : undefined;
      if (question !== undefined) await this.invoke(question, `round_${round}_index_${index}`);
      index += 1;
    }
    await this.objects?.settle();
  }

  private async invoke(question: Question, place: string): Promise<void> {
    const { webhook } = question;
    let changed = false;
    try {
      changed = await this.changedBy(question, place);
    } finally {
      this.note(webhook, place, changed);
    }
    if (changed) this.outdate();
    this.hasChanged ||= changed;
    if (webhook.isAskedAgain) this.asked.add(webhook.id);
  }

  private async changedBy(question: Question, place: string): Promise<boolean> {
    const { webhook } = question;
    const { object } = question;
    const { context, operation } = this.request;
    const outcome = await ask(this.parts, question, this.request);
    if (outcome.type === 'failed') {
      context.addAuditAnnotation?.(`failed-open.mutation.${PREFIX}/${place}`, webhook.name);
      return false;
    }
    const { allowed, refusal, patch } = outcome.verdict;
    if (!allowed) throw deniedByWebhook(webhook.name, refusal);
    if (patch === undefined) return false;
    if (object === undefined || operation === 'CONNECT') throw unpatchable(webhook);
    return this.take(question, object, patch, place);
  }

  private take(question: Question, object: JsonObject, patch: Buffer, place: string): boolean {
    const version = takePatch(question, object, patch);
    const changed = version !== undefined;
    if (changed) this.objects?.changed(version);
    const { configuration, name } = question.webhook;
    const { context } = this.request;
    if (changed && context.auditsRequestObject === true) {
      const start = JSON.stringify({ configuration, webhook: name }).slice(0, -1);
      context.addAuditAnnotation?.(`patch.${PREFIX}/${place}`, `${start},"patch":${patchText(patch)},"patchType":"JSONPatch"}`);
    }
    return changed;
  }

  private note({ configuration, name }: Webhook, place: string, mutated: boolean): void {
    this.request.context.addAuditAnnotation?.(`mutation.${PREFIX}/${place}`, JSON.stringify({ configuration, webhook: name, mutated }));
  }

  private outdate(): void {
    for (const id of this.asked) this.outdated.add(id);
    this.asked = new Set();
  }
}

/** As it is told of those that change objects, and of those that only look at them (upstream behaviour). */
const inner = (text: string): StatusError => internalError(internalError(text).message);
const outer = (text: string): StatusError => internalError(text);

const unpatchable = ({ name }: Webhook): Error =>
  internalError(`admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`);

export function validatingWebhooks(parts: WebhookPluginParts): ValidatingPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    ...about(parts, 'validating'),
    validate(request) {
      const all = parts.webhooks.of('validating');
      if (!all.some((webhook) => mayMatch(webhook, request))) return undefined;
      const shown = withVersion(request);
      const objects = isConverted(request) ? new VersionedObjects(shown, outer) : undefined;
      const asking = { parts, shown, decisions: new Decisions(parts.authorize, request.user), objects };
      const questions: Question[] = [];
      for (const [index, webhook] of all.entries()) {
        const question = questionOf(asking, webhook);
        if (question instanceof Promise) return validateLater(asking, questions, question, all.slice(index + 1), request);
        if (question !== undefined) questions.push(question);
      }
      return questions.length === 0 ? undefined : validate(parts, questions, request);
    },
  };
}

/** What is needed to ask about one request. */
interface Asking {
  readonly parts: WebhookPluginParts;
  readonly shown: AdmissionRequest;
  readonly decisions: Decisions;
  /** Absent where no webhook converts. */
  readonly objects: VersionedObjects | undefined;
}

function questionOf({ parts, shown, decisions, objects }: Asking, webhook: Webhook): MaybePromise<Question | undefined> {
  const as = askedAs(parts, webhook, shown);
  if (as === undefined) return undefined;
  if (objects === undefined) return questionFor(parts, webhook, shown, as, decisions);
  return objects.in(as).then((converted) => questionFor(parts, webhook, converted, as, decisions));
}

/** The same where the authorizer or a conversion takes its time. */
async function validateLater(
  asking: Asking,
  questions: Question[],
  pending: Promise<Question | undefined>,
  others: readonly Webhook[],
  request: AdmissionRequest,
): Promise<void> {
  const first = await pending;
  if (first !== undefined) questions.push(first);
  for (const webhook of others) {
    const question = await questionOf(asking, webhook);
    if (question !== undefined) questions.push(question);
  }
  if (questions.length > 0) await validate(asking.parts, questions, request);
}

/** An update is of the version that is stored, whether or not it was sent with one. */
function withVersion(request: AdmissionRequest): AdmissionRequest {
  const { operation, object, oldObject } = request;
  const version = stringAt(readMetadata(oldObject ?? {}), 'resourceVersion');
  if (operation !== 'UPDATE' || object === undefined || version === undefined) return request;
  return { ...request, object: { ...object, metadata: { ...readMetadata(object), resourceVersion: version } } };
}

/** The first refusal in their order counts. */
async function validate(parts: WebhookPluginParts, questions: readonly Question[], request: AdmissionRequest): Promise<void> {
  const answers = await Promise.allSettled(questions.map((question) => judge(parts, question, request)));
  answers.forEach((answer, index) => {
    if (answer.status === 'rejected') throw answer.reason;
    const name = questions[index]?.webhook.name ?? '';
    if (answer.value === 'failed') request.context.addAuditAnnotation?.(`failed-open.validating.${PREFIX}/round_0_index_${index}`, name);
  });
}

async function judge(parts: WebhookPluginParts, question: Question, request: AdmissionRequest): Promise<'allowed' | 'failed'> {
  const outcome = await ask(parts, question, request);
  if (outcome.type === 'failed') return 'failed';
  const { allowed, refusal } = outcome.verdict;
  if (!allowed) throw deniedByWebhook(question.webhook.name, refusal);
  return 'allowed';
}
