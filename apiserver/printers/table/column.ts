/** How a column is written down, and the columns that most kinds have. Knows no kind. */
import type { ColumnDefinition } from './printer';

type Options = Partial<Pick<ColumnDefinition, 'type' | 'format' | 'priority'>>;

export function column(name: string, description: string, { type = 'string', format = '', priority = 0 }: Options = {}): ColumnDefinition {
  return { name, type, format, description, priority };
}

export const WIDE: Options = { priority: 1 };
export const NAME = column('Name', 'The name of the object, unique among its kind in its namespace.', { format: 'name' });
export const AGE = column('Age', 'The time since the object was created.');
export const CREATED_AT = column('Created At', 'When the object was created.', { type: 'date' });
export const COUNT: Options = { type: 'integer' };
export const YES_OR_NO: Options = { type: 'boolean' };
export const CONTAINERS = column('Containers', 'The names of the containers in the template.', WIDE);
export const IMAGES = column('Images', 'The images of the containers in the template.', WIDE);
export const SELECTOR = column('Selector', 'The labels of the pods that belong to it.', WIDE);
