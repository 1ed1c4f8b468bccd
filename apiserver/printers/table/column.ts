/** Defines a column of a Table, and the columns that several kinds share. cell.ts has what their cells share. */
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
/** The format `name` marks the column with the names of the objects. */
export const NAME = defineColumn('Name', 'The name of the object, unique among its kind in its namespace.', { format: 'name' });
/** Its cells are texts such as `5m`, computed for the time of the response. */
export const AGE = defineColumn('Age', 'The time since the object was created.');
/** For kinds without columns of their own: clients show the time as an age. */
export const CREATED_AT = defineColumn('Created At', 'When the object was created.', { type: 'date' });
/** For columns with numbers as cells. */
export const INTEGER: ColumnOptions = { type: 'integer' };
/** For columns with booleans as cells. */
export const BOOLEAN: ColumnOptions = { type: 'boolean' };
/** For kinds with a pod template. A cell lists the names of the containers, separated by commas. */
export const CONTAINERS = defineColumn('Containers', 'The container names in the template.', WIDE);
/** For kinds with a pod template. A cell lists the images in the order of {@link CONTAINERS}. */
export const IMAGES = defineColumn('Images', 'The container images in the template.', WIDE);
/** For kinds that select pods. */
export const SELECTOR = defineColumn('Selector', 'The labels of the selected pods.', WIDE);
