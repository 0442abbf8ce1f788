"""The same with Valkey in the place of Redis, where it is at hand."""
import os
import shutil

import confidential
import memory
import refreshes
import starts
import store
from checks import LeftOut, alone


@alone
def test_valkey_in_the_place_of_redis(binary):
    """A login and all that follows, a full store, one that restarts with nothing, and what can be read in it."""
    server = shutil.which("valkey-server")
    if os.environ.get("PORTCULLIS_STORE_SERVER"):
        raise LeftOut(f"all tests run at {os.environ['PORTCULLIS_STORE_SERVER']}")
    if not server:
        raise LeftOut("no valkey-server is installed; PORTCULLIS_STORE_SERVER names one")
    store.SERVER = server
    try:
        memory.test_without_room_a_logout_holds_at_all_gateways_at_once(binary)
        starts.test_a_store_that_restarts_without_its_data_has_everybody_sign_in_and_lets_no_used_proof_through(binary)
        refreshes.test_tokens_that_the_store_does_not_take_are_used_by_who_has_them_and_written_later(binary)
        confidential.test_nothing_that_is_secret_or_says_who_somebody_is_can_be_read_in_the_store(binary)
    finally:
        store.SERVER = store.DEFAULT
