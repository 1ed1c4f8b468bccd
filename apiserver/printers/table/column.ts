/** Defines a column of a Table, and the columns that several kinds share. Cells are printed elsewhere (cell.ts). */
import type { ColumnDefinition } from './convertor';

type ColumnOptions = Partial<Pick<ColumnDefinition, 'type' | 'format' | 'priority'>>;

/** By default, a column has strings without a format and is always shown. */
export function defineColumn(
  name: string,
  description: string,
  { type = 'string', format = '', priority = 0 }: ColumnOptions = {},
): ColumnDefinition {
  return { name, type, format, description, priority };
}

/** For columns that clients show in wide output only. */
export const WIDE: ColumnOptions = { priority: 1 };
export const NAME = defineColumn('Name', 'The name of the object, unique among its kind in its namespace.', { format: 'name' });
export const AGE = defineColumn('Age', 'The time since the object was created.');
/** For kinds without columns of their own: clients show the time as an age. */
export const CREATED_AT = defineColumn('Created At', 'When the object was created.', { type: 'date' });
export const INTEGER: ColumnOptions = { type: 'integer' };
export const BOOLEAN: ColumnOptions = { type: 'boolean' };
export const CONTAINERS = defineColumn('Containers', 'The container names in the template.', WIDE);
export const IMAGES = defineColumn('Images', 'The container images in the template.', WIDE);
export const SELECTOR = defineColumn('Selector', 'The labels of the selected pods.', WIDE);
