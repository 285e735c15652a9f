import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { formatDateTime, fromField } from '../state/time.js';
import { zoneName } from '../state/zone.js';
import { Field } from './Field.js';

interface Props {
  readonly label: string;
  /** The time at first, in the form of the field. */
  readonly first: string;
  /** Returns a warning for a time; `''`: none. */
  readonly warningOf?: (time: Date) => string;
  /** Receives each time that the user enters. */
  readonly onTime?: (time: Date) => void;
  /** The field shows `first` again when this changes. */
  readonly renewal?: number;
  /** More about the time. A function receives it. */
  readonly children?: ComponentChildren | ((time: Date) => ComponentChildren);
}

/**
 * A field for a date and time, named `time`. The browser shows it in the format of the browser's language, so the hint
 * repeats it in the format of the page.
 */
export function TimeField({ label, first, warningOf, onTime, renewal = 0, children }: Props) {
  // A running clock changes its default, but not what the user sees.
  const [initial] = useState(first);
  const [text, setText] = useState(first);
  const time = fromField(text);
  const input = useRef<HTMLInputElement>(null);
  const renewed = useRef(renewal);
  useLayoutEffect(() => {
    if (renewed.current === renewal || input.current === null) return;
    renewed.current = renewal;
    input.current.value = first;
    setText(first);
  }, [renewal]);
  const warning = warningOf?.(time) ?? '';
  return (
    <Field
      label={label}
      hint={
        <>
          {Number.isNaN(time.getTime()) ? `In ${zoneName.value}.` : `${formatDateTime(time)} in ${zoneName.value}.`}{' '}
          {typeof children === 'function' ? children(time) : children}
          {warning !== '' && <span class="warn"> {warning}</span>}
        </>
      }
    >
      <input
        ref={input}
        name="time"
        type="datetime-local"
        defaultValue={initial}
        // Otherwise, browsers accept years of six digits.
        max="9999-12-31T23:59"
        required
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          onTime?.(fromField(currentTarget.value));
        }}
      />
    </Field>
  );
}
