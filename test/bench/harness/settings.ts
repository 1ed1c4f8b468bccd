/** Options of the command line. */
export const TOKEN = 'bench-token';

export const textOption = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
export const hasOption = (name: string): boolean => process.argv.includes(`--${name}`);
export const numberOption = (name: string, absent: number): number => Number(textOption(name) ?? absent);
export const listOption = (name: string, absent: string): readonly string[] => (textOption(name) ?? absent).split(',');

/** Duration of each measurement. */
export const seconds = numberOption('seconds', 4);
export const stores = listOption('stores', 'embedded,etcd');
