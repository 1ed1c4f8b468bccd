/** The webhooks of all configurations, parsed once for each revision, in the order in which they are called. */
import { compileExpression, type Expression } from '../../../shared/expression/engine';
import { WEBHOOK_VARIABLES } from '../../../shared/expression/admission/variables';
import { compileLabelSelector } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../../shared/api/selectors/object-selector';
import { arrayAt, compareBytes, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { readWebhookTarget, type WebhookTarget } from '../../webhook-client/webhook-target';
import { readRule, type MatchRule } from '../matching/rules';

export type WebhookType = 'mutating' | 'validating';

export interface MatchCondition {
  readonly text: string;
  /** `undefined` when the text does not compile: it was stored before it was validated. */
  readonly expression: Expression | undefined;
}

type LabelMatcher = ReturnType<typeof compileLabelSelector>;

export interface Webhook extends WebhookTarget {
  readonly type: WebhookType;
  readonly configuration: string;
  readonly name: string;
  /** Unique: configuration, name, and the index among equal names. */
  readonly id: string;
  readonly rules: readonly MatchRule[];
  readonly isExact: boolean;
  /** `undefined` = every namespace or object is selected. */
  readonly namespaces: LabelMatcher | undefined;
  readonly objects: LabelMatcher | undefined;
  readonly conditions: readonly MatchCondition[];
  readonly timeoutSeconds: number;
  readonly isIgnoredOnFailure: boolean;
  readonly isReinvokedIfNeeded: boolean;
}

/** The webhooks of both types. */
export class Webhooks {
  private readonly byConfiguration = { mutating: new Map<string, readonly Webhook[]>(), validating: new Map<string, readonly Webhook[]>() };
  private readonly ordered: Record<WebhookType, readonly Webhook[]> = { mutating: [], validating: [] };

  list(type: WebhookType): readonly Webhook[] {
    return this.ordered[type];
  }

  /** `object` is `undefined` when the configuration was deleted. */
  setConfiguration(type: WebhookType, name: string, object: JsonObject | undefined): void {
    const configurations = this.byConfiguration[type];
    if (object === undefined) configurations.delete(name);
    else configurations.set(name, readWebhooks(type, name, object));
    const sorted = [...configurations].sort(([a], [b]) => compareBytes(a, b));
    this.ordered[type] = sorted.flatMap(([, webhooks]) => webhooks);
  }
}

function readWebhooks(type: WebhookType, configuration: string, object: JsonObject): readonly Webhook[] {
  const counts = new Map<string, number>();
  return (arrayAt(object, 'webhooks') ?? []).filter(isObject).map((webhook) => {
    const name = stringAt(webhook, 'name') ?? '';
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return readWebhook(type, configuration, name, `${configuration}/${name}/${count}`, webhook);
  });
}

const DEFAULT_SECONDS = 10;

function readWebhook(type: WebhookType, configuration: string, name: string, id: string, webhook: JsonObject): Webhook {
  const client = objectAt(webhook, 'clientConfig') ?? {};
  const seconds = own(webhook, 'timeoutSeconds');
  return {
    type,
    configuration,
    name,
    id,
    rules: (arrayAt(webhook, 'rules') ?? []).filter(isObject).map(readRule),
    isExact: stringAt(webhook, 'matchPolicy') === 'Exact',
    namespaces: selectorOf(objectAt(webhook, 'namespaceSelector')),
    objects: selectorOf(objectAt(webhook, 'objectSelector')),
    conditions: (arrayAt(webhook, 'matchConditions') ?? []).filter(isObject).map(readCondition),
    ...readWebhookTarget(client),
    timeoutSeconds: typeof seconds === 'number' ? seconds : DEFAULT_SECONDS,
    isIgnoredOnFailure: stringAt(webhook, 'failurePolicy') === 'Ignore',
    isReinvokedIfNeeded: stringAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
  };
}

function selectorOf(selector: JsonObject | undefined): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(selector ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}

function readCondition(condition: JsonObject): MatchCondition {
  const text = stringAt(condition, 'expression') ?? '';
  const compiled = compileExpression(text.trim(), WEBHOOK_VARIABLES);
  return { text: text.trim(), expression: 'fault' in compiled ? undefined : compiled };
}
