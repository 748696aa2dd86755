import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import { classes } from './classes.ts';

export type ButtonKind = 'primary' | 'plain' | 'danger';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: ButtonKind;
}

export function Button({ kind = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return <button className={classes('button', kind, className)} type={type} {...rest} />;
}

export interface ButtonLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  readonly href: string;
  readonly kind?: ButtonKind;
}

/** A link that looks like a button. The browser itself handles downloads. */
export function ButtonLink({ kind = 'plain', className, href, ...rest }: ButtonLinkProps) {
  const name = classes('button', kind, className);
  return rest.download === undefined ? (
    <Link className={name} href={href} {...rest} />
  ) : (
    <a className={name} href={href} {...rest} />
  );
}
