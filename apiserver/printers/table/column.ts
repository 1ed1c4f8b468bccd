/** Defines columns, and the columns that most kinds share. */
import type { ColumnDefinition } from './convertor';

type Options = Partial<Pick<ColumnDefinition, 'type' | 'format' | 'priority'>>;

export function defineColumn(
  name: string,
  description: string,
  { type = 'string', format = '', priority = 0 }: Options = {},
): ColumnDefinition {
  return { name, type, format, description, priority };
}

export const WIDE: Options = { priority: 1 };
export const NAME = defineColumn('Name', 'The name of the object, unique among its kind in its namespace.', { format: 'name' });
export const AGE = defineColumn('Age', 'The time since the object was created.');
export const CREATED_AT = defineColumn('Created At', 'When the object was created.', { type: 'date' });
export const INTEGER: Options = { type: 'integer' };
export const BOOLEAN: Options = { type: 'boolean' };
export const CONTAINERS = defineColumn('Containers', 'The container names in the template.', WIDE);
export const IMAGES = defineColumn('Images', 'The container images in the template.', WIDE);
export const SELECTOR = defineColumn('Selector', 'The labels of the selected pods.', WIDE);
