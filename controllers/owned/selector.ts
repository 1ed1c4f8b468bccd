/** What an owner's selector selects. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import { objectAt } from '../../shared/values/json';

/** Undefined where it would select everything: such an owner is left alone. */
export function labelSelectorOf({ body }: ApiObject): LabelMatcher | undefined {
  const requirements = requirementsOfSelector(objectAt(objectAt(body, 'spec'), 'selector') ?? {});
  return requirements.length === 0 ? undefined : compileLabelSelector(requirements);
}
