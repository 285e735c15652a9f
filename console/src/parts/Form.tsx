import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { forgetFields, keepFields, restoreFields } from '../state/kept-fields.js';
import { isAnswering } from '../state/live.js';
import { announce } from '../state/notices.js';
import { addressOf } from '../state/route.js';
import { isLost } from '../world/lost.js';
import { explain, type ActionFailure } from '../world/blame.js';
import { SecondPressLabel, useSecondPress, type SecondPress } from './ConfirmButton.js';
import { fieldsOf } from './Field.js';
import { FieldError, FieldProblemsContext, focusFirst, problemsIn, type FieldProblems } from './field-problems.js';
import { Problem } from './Problem.js';

interface Props {
  /** Returns the problems of fields that the browser does not check. Nothing is sent if there are any. */
  readonly check?:
    ((fields: Record<string, string>, form: HTMLFormElement) => FieldProblems | Promise<FieldProblems>) | undefined;
  /** Receives the field values; the form shows its errors. */
  readonly onSubmit: (fields: Record<string, string>, form: HTMLFormElement) => Promise<unknown>;
  readonly submit: ComponentChildren;
  /** The label of the button after a first press. The form is sent by the second one. */
  readonly confirm?: string | undefined;
  /** Called by a button after which the page forgets the fields. Default: no such button. */
  readonly cancel?: (() => void) | undefined;
  readonly children: ComponentChildren;
  readonly label?: string;
  readonly class?: string;
  /** The name under which the page keeps the fields until they are sent, also if the form disappears. */
  readonly keep?: string;
  /** Called after each change of a field. */
  readonly onChanged?: ((form: HTMLFormElement) => void) | undefined;
}

const textOf = (form: HTMLFormElement) => JSON.stringify(fieldsOf(form));

/** The problem of a form. The problem of a lost connection disappears when the emulator answers again. */
function useProblem() {
  const [failure, setFailure] = useState<ActionFailure | undefined>();
  const [lost, setLost] = useState(false);
  const answers = isAnswering.value;
  useEffect(() => {
    if (answers) setLost(false);
  }, [answers]);
  return {
    problem: lost ? { words: 'The emulator does not answer. Your text is kept.', isByRule: false } : failure,
    show: async (error: unknown) => {
      if (await isLost(error)) setLost(true);
      else setFailure(await explain(error));
    },
    clear: () => {
      setLost(false);
      setFailure(undefined);
    },
  };
}

/** A submission that takes longer is reported. */
const slowMs = 2_000;
const waiting = 'Waiting for the emulator';

/** Whether a submission takes long. */
function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => {
      setSlow(true);
      announce(waiting);
    }, slowMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return slow;
}

/** Keeps the fields of a form under a name, if it has one. */
function useKeptFields(name: string | undefined) {
  const element = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (name !== undefined && element.current !== null) restoreFields(name, element.current);
  }, [name]);
  const keep = (form: HTMLFormElement) => {
    if (name !== undefined) keepFields(name, form);
  };
  /** Called after the form was sent. The user may have written more meanwhile. */
  const forget = (form: HTMLFormElement, sent: string) => {
    if (name === undefined) return;
    if (textOf(form) === sent) forgetFields(name);
    else keepFields(name, form);
  };
  return { element, keep, forget };
}

/** Runs one submission at a time, and keeps its errors. */
function useSubmission({ onSubmit, check }: Props, onSent: (form: HTMLFormElement, sent: string) => void) {
  const { problem, show, clear } = useProblem();
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<FieldProblems>({});
  const sent = useRef('');
  const isRunning = useRef(false);
  const refuse = (form: HTMLFormElement, found: FieldProblems) => {
    setProblems(found);
    focusFirst(form, found);
  };
  const isComplete = async (form: HTMLFormElement, fields: Record<string, string>) => {
    clear();
    const found = { ...(await check?.(fields, form)), ...problemsIn(form) };
    refuse(form, found);
    return Object.keys(found).length === 0;
  };
  /** Sends a complete form. @param isMeant whether the user wants it: a first press asks for a second one */
  const submitForm = async (form: HTMLFormElement, isMeant: () => boolean) => {
    if (isRunning.current) return;
    isRunning.current = true;
    // The form sends the fields as they are at this moment.
    const fields = fieldsOf(form);
    sent.current = textOf(form);
    try {
      if ((await isComplete(form, fields)) && isMeant()) await send(form, fields);
    } finally {
      isRunning.current = false;
    }
  };
  const send = async (form: HTMLFormElement, fields: Record<string, string>) => {
    setBusy(true);
    try {
      await onSubmit(fields, form);
      onSent(form, sent.current);
    } catch (error) {
      if (error instanceof FieldError) refuse(form, { [error.field]: error.message });
      else await show(error);
    } finally {
      setBusy(false);
    }
  };
  /** A changed field is checked again when the form is sent. */
  const forgive = (name: string) => {
    setProblems(({ [name]: _, ...others }) => others);
  };
  return { problem, problems, busy, sent, submitForm, forgive };
}

/** A form that runs one submission at a time and shows its errors. */
export function Form(props: Props) {
  const { submit, confirm, cancel, children, label, class: className = 'form', keep: name, onChanged } = props;
  const { element, keep, forget } = useKeptFields(name);
  const { problem, problems, busy, sent, submitForm, forgive } = useSubmission(props, forget);
  const second = useSecondPress();
  return (
    <form
      ref={element}
      class={className}
      aria-label={label}
      noValidate
      onInput={({ currentTarget, target }) => {
        if (target instanceof Element && 'name' in target) forgive(String(target.name));
        keep(currentTarget);
        // The first press confirmed other values.
        second.cancel();
        onChanged?.(currentTarget);
      }}
      onKeyDown={(event) => {
        // Enter in a text of several lines begins a new line.
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
      onReset={(event) => {
        // The user wrote more while the emulator answered.
        if (textOf(event.currentTarget) !== sent.current) event.preventDefault();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void submitForm(event.currentTarget, () => confirm === undefined || second.press());
      }}
    >
      <div class="form-fields">
        <FieldProblemsContext.Provider value={problems}>{children}</FieldProblemsContext.Provider>
      </div>
      <FormFoot
        problem={problem}
        busy={busy}
        second={second}
        submit={submit}
        confirm={confirm}
        cancel={
          cancel &&
          (() => {
            if (name !== undefined) forgetFields(name);
            cancel();
          })
        }
      />
    </form>
  );
}

interface FootProps extends Pick<Props, 'submit' | 'confirm' | 'cancel'> {
  readonly problem: ActionFailure | undefined;
  readonly busy: boolean;
  readonly second: SecondPress;
}

function FormFoot({ problem, busy, second: { isArmed, guard }, submit, confirm, cancel }: FootProps) {
  const slow = useSlow(busy);
  return (
    <div class="form-foot">
      <Problem text={problem?.words}>
        {problem?.isByRule === true && <a href={addressOf('faults')}>Show the rules</a>}
      </Problem>
      <div class="form-end">
        {slow && <p class="hint">{waiting}</p>}
        {cancel !== undefined && (
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
        )}
        <span {...guard}>
          <button type="submit" class={`button ${isArmed ? 'button-danger' : 'button-main'}`} aria-disabled={busy}>
            {confirm === undefined ? submit : <SecondPressLabel label={submit} confirm={confirm} isArmed={isArmed} />}
          </button>
        </span>
      </div>
    </div>
  );
}
