// The choice of a participant

/**
 * A selection list of the participants in the definitions. The list is hidden if there are no participants. `none` is
 * the label of the empty choice.
 */
function participantChoice(none) {
  const select = make('select');
  const element = field('Participant', select);
  element.hidden = true;

  /** Loads the list. The current choice stays selected, even if the definitions no longer list it. */
  async function load(current = '') {
    let known;
    try { known = (await call('/api/v1/definitions')).participants || []; } catch (error) { return; }
    const ids = known.map((one) => one.id);
    if (current && !ids.includes(current)) ids.unshift(current);
    select.replaceChildren(...['', ...ids].map((id) => make('option', { value: id, text: id || none })));
    select.value = current;
    show(true);
  }

  function show(isWanted) { element.hidden = !isWanted || select.options.length < 2; }
  return { element, load, show, get id() { return select.value; } };
}
