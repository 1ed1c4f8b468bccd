/**
 * The webhooks of all configurations, parsed once for each revision, in the order in which they are called. Matching and
 * calling them is left to call-webhook.ts.
 */
import { compileExpression, type Expression } from '../../../shared/expression/engine';
import { WEBHOOK_VARIABLES } from '../../../shared/expression/admission/variables';
import { compileLabelSelector } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../../shared/api/selectors/object-selector';
import type {
  AdmissionregistrationV1MatchCondition,
  AdmissionregistrationV1MutatingWebhook,
  AdmissionregistrationV1MutatingWebhookConfiguration,
  AdmissionregistrationV1ValidatingWebhookConfiguration,
  MetaV1LabelSelector,
} from '../../../shared/api/types/generated/members';
import { compareBytes } from '../../../shared/values/json';
import { readWebhookTarget, type WebhookTarget } from '../../webhook-client/webhook-target';
import { readRule, type MatchRule } from '../matching/rules';

/** The two kinds of configurations. */
export type WebhookType = 'mutating' | 'validating';

/** A condition that must be true for the webhook to be called. */
export interface MatchCondition {
  readonly text: string;
  /** `undefined` when the text does not compile: it may have been stored by a release with other rules. */
  readonly expression: Expression | undefined;
}

/** Whether the labels of an object match a selector. */
type LabelMatcher = ReturnType<typeof compileLabelSelector>;

/** One parsed webhook of a configuration. */
export interface Webhook extends WebhookTarget {
  readonly type: WebhookType;
  /** Name of the configuration. */
  readonly configuration: string;
  readonly name: string;
  /** Unique: configuration, name, and the index among equal names. */
  readonly id: string;
  readonly rules: readonly MatchRule[];
  /** `matchPolicy` is Exact: requests for other versions of a resource do not match. */
  readonly isExact: boolean;
  /** `undefined` = every namespace is selected. */
  readonly namespaces: LabelMatcher | undefined;
  /** `undefined` = every object is selected. */
  readonly objects: LabelMatcher | undefined;
  readonly conditions: readonly MatchCondition[];
  readonly timeoutSeconds: number;
  /** `failurePolicy` is Ignore: a failed call does not reject the request. */
  readonly isIgnoredOnFailure: boolean;
  /** `reinvocationPolicy` is IfNeeded: the webhook is called again when the object changes after its call. */
  readonly isReinvokedIfNeeded: boolean;
}

type Configuration = AdmissionregistrationV1MutatingWebhookConfiguration | AdmissionregistrationV1ValidatingWebhookConfiguration;

/** The webhooks of both types. */
export class Webhooks {
  private readonly byConfiguration = { mutating: new Map<string, readonly Webhook[]>(), validating: new Map<string, readonly Webhook[]>() };
  /** The webhooks of each type in the order of {@link list}. */
  private readonly ordered: Record<WebhookType, readonly Webhook[]> = { mutating: [], validating: [] };

  /** In the order in which they are called: by name of the configuration, and then as listed. */
  list(type: WebhookType): readonly Webhook[] {
    return this.ordered[type];
  }

  /** `object` is `undefined` when the configuration was deleted. */
  setConfiguration(type: WebhookType, name: string, object: Configuration | undefined): void {
    const configurations = this.byConfiguration[type];
    if (object === undefined) configurations.delete(name);
    else configurations.set(name, readWebhooks(type, name, object));
    const sorted = [...configurations].sort(([a], [b]) => compareBytes(a, b));
    this.ordered[type] = sorted.flatMap(([, webhooks]) => webhooks);
  }
}

/** The webhooks of one configuration. */
function readWebhooks(type: WebhookType, configuration: string, { webhooks = [] }: Configuration): readonly Webhook[] {
  const counts = new Map<string, number>();
  return webhooks.map((webhook) => {
    const { name = '' } = webhook;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return readWebhook({ type, configuration, name, id: `${configuration}/${name}/${count}` }, webhook);
  });
}

/** The default of the API, for objects that were stored without it. */
const DEFAULT_TIMEOUT_SECONDS = 10;

type WebhookIdentity = Pick<Webhook, 'type' | 'configuration' | 'name' | 'id'>;

/** The type of mutating webhooks is that of validating ones with a reinvocation policy, so it serves for both. */
function readWebhook(identity: WebhookIdentity, webhook: AdmissionregistrationV1MutatingWebhook): Webhook {
  return {
    ...identity,
    rules: (webhook.rules ?? []).map(readRule),
    isExact: webhook.matchPolicy === 'Exact',
    namespaces: selectorOf(webhook.namespaceSelector),
    objects: selectorOf(webhook.objectSelector),
    conditions: (webhook.matchConditions ?? []).map(readCondition),
    ...readWebhookTarget(webhook.clientConfig ?? {}),
    timeoutSeconds: webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    isIgnoredOnFailure: webhook.failurePolicy === 'Ignore',
    isReinvokedIfNeeded: webhook.reinvocationPolicy === 'IfNeeded',
  };
}

/** `undefined` for a selector that selects everything. */
function selectorOf(selector: MetaV1LabelSelector | undefined): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}

function readCondition({ expression = '' }: AdmissionregistrationV1MatchCondition): MatchCondition {
  const text = expression.trim();
  const compiled = compileExpression(text, WEBHOOK_VARIABLES);
  return { text, expression: 'error' in compiled ? undefined : compiled };
}
